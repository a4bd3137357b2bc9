Feature: The sweep removes what belongs to no open issue, and nothing else
  From time to time the engine compares its directories with its issues and its issues with the tracker. What belongs
  to nobody goes. A tracker that is busy, locked or silent says nothing about an issue, so nothing is removed then.

  @clean-4
  Scenario Outline: A session directory of no open issue is removed, whatever it is called
    Given an issue served by codex
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And a session directory "<name>" of no issue
    When the reconciler sweeps
    Then the session directory "<name>" is gone
    And what was noted of the issue is as it was, and nothing is added

    Examples:
      | name                                                                                                                                                                                                     |
      | acme-shop-issue-1                                                                                                                                                                                        |
      | .hidden                                                                                                                                                                                                  |

    Examples: more combinations
      | name                                                                                                                                                                                                     |
      | acme-shop-issue-12~0123abcd                                                                                                                                                                              |
      | no name of ours                                                                                                                                                                                          |
      | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |
      | tmp                                                                                                                                                                                                      |

  @clean-4
  Scenario: The directory of an issue without any run yet, or of another number, is nobody's
    Given issue 1 of organization "acme" and project "shop", served by codex
    And issue 2 of the same project
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And a session directory "acme-shop-issue-2" of no issue
    And a session directory "acme-shop-issue-11" of no issue
    And a session directory "acme-shop-issue-" of no issue
    When the reconciler sweeps
    Then the session directory "acme-shop-issue-2" is gone
    And the session directory "acme-shop-issue-11" is gone
    And the session directory "acme-shop-issue-" is gone
    And what was noted of the issue is as it was, and nothing is added

  @clean-4
  Scenario Outline: What stands again at the place of an issue that has ended is nobody's
    Given issue 1 of organization "acme" and project "shop", served by <adapter>
    And a development run of the issue has ended
    And the issue was <end>
    And a session directory "acme-shop-issue-1" of no issue
    When the reconciler sweeps
    Then the session directory "acme-shop-issue-1" is gone

    Examples:
      | adapter     | end             |
      | claude-code | closed by merge |

    Examples: more combinations
      | adapter     | end                    |
      | copilot     | unassigned             |
      | opencode    | closed without a merge |

  @clean-4
  Scenario: Files and links among the session directories go as well
    Given an issue served by codex
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And a file "notes.txt" stands among the session directories
    And a link "nowhere" to nothing stands among the session directories
    When the reconciler sweeps
    Then the session directory "notes.txt" is gone
    And the session directory "nowhere" is gone
    And what was noted of the issue is as it was, and nothing is added

  @clean-4
  Scenario Outline: The directories of open issues stay, whatever state they are in
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the other issue is blocked
    And the state of the issue is noted in every detail
    And the state of the other issue is noted in every detail
    And the engine was killed and started again
    When the reconciler sweeps 3 times
    Then what was noted of the issue is as it was, and nothing is added
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @clean-10
  Scenario Outline: A tracker that does not answer definitely ends nothing and removes nothing
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And the tracker answers <answer> for the issue
    When the reconciler sweeps 3 times
    Then what was noted of the issue is as it was, and nothing is added
    And the issue is in the state in_ci

    Examples:
      | adapter     | answer  |
      | opencode    | 401     |
      | copilot     | 403     |
      | codex       | timeout |

    Examples: more combinations
      | adapter     | answer  |
      | claude-code | 500     |
      | codex       | 503     |
      | claude-code | 429     |

  @clean-10
  Scenario Outline: After such an answer the next run resumes
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the tracker answers <answer> for the issue
    And the reconciler has swept
    And the engine was killed and started again
    And the reconciler has swept
    When a ci_fix run of the issue is due
    Then the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | answer  |
      | codex       | 500     |

    Examples: more combinations
      | adapter     | answer  |
      | opencode    | 503     |
      | copilot     | 401     |
      | claude-code | 403     |
      | codex       | 429     |
      | opencode    | timeout |

  @clean-10
  Scenario Outline: Such an answer does not cut a live run off
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    And the tracker answers <answer> for the issue
    And the reconciler has swept
    When the CLI goes on to its end
    Then the first run has succeeded
    And the state directory of the issue is kept

    Examples:
      | adapter     | answer  |
      | claude-code | 429     |

    Examples: more combinations
      | adapter     | answer  |
      | claude-code | 500     |
      | codex       | 503     |
      | opencode    | 401     |
      | copilot     | 403     |
      | codex       | timeout |

  @clean-10
  Scenario Outline: One issue that is gone does not take along another that the tracker did not answer for
    Given an issue served by claude-code
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And the tracker answers 404 for the issue
    And the tracker answers <answer> for the other issue
    When the reconciler sweeps
    Then nothing of the state of the issue is left
    And what was noted of the other issue is as it was, and nothing is added
    And the other issue is in the state in_ci

    Examples:
      | answer  |
      | 503     |

    Examples: more combinations
      | answer  |
      | 500     |
      | 401     |
      | 403     |
      | 429     |
      | timeout |

  @clean-12
  Scenario Outline: A sweep during a live run leaves its session directory alone
    Given an issue served by <adapter>
    And a session directory "stray" of no issue
    And a development run of the issue in which the CLI hangs <when>
    And the reconciler has swept
    When the CLI goes on to its end
    Then the first run has succeeded
    And the native id on record for the first run is the one of the session that the CLI served
    And the state directory of the issue is kept
    And the session directory "stray" is gone

    Examples:
      | adapter     | when                      |
      | claude-code | before naming the session |
      | opencode    | after naming the session  |

    Examples: more combinations
      | adapter     | when                      |
      | claude-code | after naming the session  |
      | codex       | after naming the session  |
      | codex       | before naming the session |
      | opencode    | before naming the session |
      | copilot     | after naming the session  |
      | copilot     | before naming the session |

  @clean-12
  Scenario Outline: A sweep during a resumed run does not take the session away under it
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the files of the issue are 90 days old
    And at its next start the CLI hangs before naming the session
    And a session directory "stray" of no issue
    When a ci_fix run of the issue is due
    And the reconciler sweeps
    And the CLI goes on to its end
    Then the second run is recorded as resumed
    And the session of the second run remembers the prompt of the first run
    And the state directory of the issue is kept
    And the session directory "stray" is gone

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  Scenario Outline: An issue whose end nobody announced is found and cleaned up by the sweep
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the issue was <end>, which the tracker did not announce
    When the reconciler sweeps
    Then nothing of the state of the issue is left
    And the issue is in the state <state>
    And the state directory of the other issue is kept
    And the other issue is in the state in_ci

    @clean-1
    Examples: done
      | adapter     | end             | state |
      | claude-code | closed by merge | done  |

    @clean-2
    Examples: cancelled
      | adapter | end                    | state     |
      | codex   | unassigned             | cancelled |
      | copilot | closed without a merge | cancelled |
