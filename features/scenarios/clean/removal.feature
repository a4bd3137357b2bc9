Feature: A removal takes what it should and nothing more, and one that fails stops nothing
  Removing directories on the host is dangerous work. It must not take the neighbour along whose number begins alike,
  must not follow a link out of the directory, and must not stop the engine where something cannot be removed.

  # seen in: agent-orchestrator#3402, agent-of-empires#3816
  @clean-8
  Scenario Outline: An issue whose number begins alike is left alone
    Given issue <one> served by <adapter>, titled "One of several"
    And issue <two> of the same project
    And issue <three> of the same project as well
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And a development run of the twin issue has ended
    And the twin issue is blocked
    And the state of the other issue is noted in every detail
    And the state of the twin issue is noted in every detail
    When the issue is <end>
    And the reconciler sweeps
    Then nothing of the state of the issue is left
    And what was noted of the other issue is as it was, and nothing is added
    And what was noted of the twin issue is as it was, and nothing is added

    Examples:
      | adapter     | one | two | three | end                      |
      | codex       | 1   | 10  | 100   | unassigned               |

    Examples: more combinations
      | adapter     | one | two | three | end                      |
      | claude-code | 1   | 12  | 11    | closed by merge          |
      | opencode    | 12  | 1   | 2     | closed without a merge   |
      | copilot     | 1   | 12  | 21    | deleted from the tracker |

  @clean-8
  Scenario Outline: An issue of a project whose name begins alike is left alone
    Given issue 1 of organization "acme" and project "shop", served by codex
    And another issue <iid> of organization "<organization>" and project "<project>", served by codex
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    When the issue is closed by merge
    And the reconciler sweeps
    Then nothing of the state of the issue is left
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | iid | organization | project      |
      | 1   | my-acme      | shop         |

    Examples: more combinations
      | iid | organization | project      |
      | 3   | acme         | shop-issue-1 |
      | 1   | acme         | shop2        |
      | 1   | acme         | shop-        |
      | 1   | acme-2       | shop         |

  # seen in: agent-orchestrator#3402, agent-of-empires#3816
  @clean-8
  Scenario Outline: A cleanup that is repeated does nothing
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And the issue was <end>
    When the issue is <end>
    And the reconciler sweeps 2 times
    Then nothing of the state of the issue is left
    And no incident is on record
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | adapter     | end                    |
      | copilot     | closed without a merge |

    Examples: more combinations
      | adapter     | end                    |
      | claude-code | closed by merge        |
      | codex       | unassigned             |

  @clean-8
  Scenario Outline: A cleanup that is repeated after the issue was reopened leaves the new state alone
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the issue was <end>
    And the issue was reopened
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    When the reconciler sweeps 2 times
    Then what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     | end                    |
      | claude-code | closed by merge        |

    Examples: more combinations
      | adapter     | end                    |
      | codex       | unassigned             |
      | opencode    | closed without a merge |

  @clean-8
  Scenario: A removal that is made up for after the issue was reopened leaves the new state alone
    Given an issue served by codex
    And a development run of the issue has ended
    And the state directory of the issue cannot be removed
    And the issue was closed by merge
    And the issue was reopened
    And a development run of the issue has ended
    And the state directory of the issue could be removed again
    And the reconciler has swept
    When a ci_fix run of the issue is due
    Then nothing of the state of the issue is left under its plain name
    And the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed

  @clean-9
  Scenario Outline: What a link in the state leads to outlives the cleanup
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a directory of the host that is none of the engine's business
    And <link>
    When the issue is <end>
    And the reconciler sweeps
    Then nothing of the state of the issue is left
    And that directory is as it was

    Examples:
      | adapter     | link                                                                     | end                      |
      | opencode    | a link to it stands in the state directory of the issue                  | closed without a merge   |
      | claude-code | a link to it stands in place of the state directory of the issue         | closed by merge          |
      | codex       | a link to it stands in place of the whole session directory of the issue | unassigned               |

    Examples: more combinations
      | adapter     | link                                                                     | end                      |
      | claude-code | a link to it stands in the state directory of the issue                  | closed by merge          |
      | codex       | a link to it stands in the state directory of the issue                  | unassigned               |
      | copilot     | a link to it stands in the state directory of the issue                  | deleted from the tracker |
      | codex       | a link to it stands in place of the state directory of the issue         | unassigned               |
      | opencode    | a link to it stands in place of the state directory of the issue         | closed without a merge   |
      | copilot     | a link to it stands in place of the state directory of the issue         | deleted from the tracker |
      | claude-code | a link to it stands in place of the whole session directory of the issue | closed by merge          |
      | opencode    | a link to it stands in place of the whole session directory of the issue | closed without a merge   |
      | copilot     | a link to it stands in place of the whole session directory of the issue | deleted from the tracker |

  @clean-9
  Scenario: What a link among the session directories leads to outlives the sweep
    Given an issue served by codex
    And a development run of the issue has ended
    And a directory of the host that is none of the engine's business
    And a link "stray" to it stands among the session directories
    When the reconciler sweeps
    Then the session directory "stray" is gone
    And that directory is as it was
    And the state directory of the issue is kept

  @clean-9
  Scenario Outline: A link to another issue's state does not take that along
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And <link>
    When the issue is closed by merge
    Then nothing of the state of the issue is left
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | adapter     | link                                                                                     |
      | codex       | a link to the state directory of the other issue stands in the one of the issue          |

    Examples: more combinations
      | adapter     | link                                                                                     |
      | claude-code | a link to the state directory of the other issue stands in place of the one of the issue |

  # seen in: GoogleCloudPlatform/scion#105, OpenJobDescription/openjd-sessions-for-python#10, nanoclaw#1115
  # seen in: agentconnect-md/agentconnect#2246, agentconnect-md/agentconnect#2283, delinoio/oss#68, code-yeongyu/senpi#1985
  @clean-11
  Scenario Outline: A removal that fails is put on record, and the issue ends all the same
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state directory of the issue cannot be removed
    When the issue is <end>
    Then an incident about the state of the issue is on record, with its reason
    And the issue is in the state <state>

    Examples:
      | adapter     | end                      | state     |
      | copilot     | deleted from the tracker | orphaned  |

    Examples: more combinations
      | adapter     | end                      | state     |
      | claude-code | closed by merge          | done      |
      | codex       | unassigned               | cancelled |
      | opencode    | closed without a merge   | cancelled |

  # seen in: GoogleCloudPlatform/scion#105, OpenJobDescription/openjd-sessions-for-python#10, nanoclaw#1115
  @clean-11
  Scenario Outline: Everything else goes on after a removal that failed
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And a session directory "stray" of no issue
    And a session directory "zz-stray" of no issue
    And the state directory of the issue cannot be removed
    And the issue was closed by merge
    And the reconciler has swept
    When a ci_fix run of the other issue is due
    Then the second run of the other issue is recorded as resumed
    And the session directory "stray" is gone
    And the session directory "zz-stray" is gone

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |

  # seen in: GoogleCloudPlatform/scion#105, OpenJobDescription/openjd-sessions-for-python#10, nanoclaw#1115
  @clean-11
  Scenario Outline: A removal that failed is tried again at the next sweep, as often as it takes
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state directory of the issue cannot be removed
    And the issue was <end>
    And the reconciler has swept
    And the engine was killed and started again
    And the state directory of the issue could be removed again
    When the reconciler sweeps
    Then nothing of the state of the issue is left

    Examples:
      | adapter     | end                    |
      | codex       | unassigned             |

    Examples: more combinations
      | adapter     | end                    |
      | claude-code | closed by merge        |
      | opencode    | closed without a merge |

  @clean-11
  Scenario: A stray directory that cannot be removed is put on record and stops no sweep
    Given issue 7 of organization "acme" and project "shop", served by codex
    And another issue of the same project
    And a development run of the other issue has ended
    And a directory of nobody stands where the state of the issue will be
    And the state directory of the issue cannot be removed
    And the tracker answers 404 for the other issue
    And a session directory "zz-stray" of no issue
    When the reconciler sweeps
    Then an incident about the state of the issue is on record, with its reason
    And nothing of the state of the other issue is left
    And the session directory "zz-stray" is gone

  # seen in: GoogleCloudPlatform/scion#105, OpenJobDescription/openjd-sessions-for-python#10, nanoclaw#1115
  @clean-1
  Scenario Outline: What a container has left without write permission is removed all the same
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the directories of the issue were left without write permission
    When the issue is closed by merge
    Then nothing of the state of the issue is left
    And the issue is in the state done

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |
