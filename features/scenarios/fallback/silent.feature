Feature: Nobody notices a fallback but a reader of the run's row
  A run that could not resume is an ordinary run. Beside a twin issue that had the same runs without a fallback, it has
  moved no counter, state or label, has said nothing on the tracker, and has neither failed nor been tried again.

  @fallback-8
  Scenario Outline: A fallback counts for no LLM retry
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the twin issue has ended
    And a <phase> run of the twin issue has ended
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the LLM retry counter of the issue is that of the twin issue
    And the issue has an LLM retry counter of 0
    And there are 2 runs of the issue

    Examples: every reason and every adapter
      | adapter  | cause                                                   | phase      |
      | opencode | the project was bound to copilot                        | analysis   |
      | codex    | a new image of codex with version 0.100.0 was installed | review_fix |

    Examples: more combinations
      | adapter     | cause                                                              | phase               |
      | claude-code | at its next start the CLI refuses the session                      | analysis            |
      | codex       | at its next start the CLI refuses the session                      | development         |
      | opencode    | at its next start the CLI refuses the session                      | ci_fix              |
      | copilot     | at its next start the CLI refuses the session                      | review_fix          |
      | claude-code | at its next start the CLI refuses the session after naming a decoy | conflict_resolution |
      | opencode    | at its next start the CLI finds the session damaged                | answer              |
      | claude-code | the state directory of the issue was removed                       | analysis            |
      | codex       | the state directory of the issue was emptied                       | development         |
      | opencode    | the state directory of the issue was removed                       | ci_fix              |
      | copilot     | the state directory of the issue was emptied                       | review_fix          |
      | claude-code | the project was bound to codex                                     | conflict_resolution |
      | codex       | the project was bound to opencode                                  | answer              |
      | copilot     | the project was bound to claude-code                               | development         |
      | claude-code | a new image of claude-code with version 1.0.100 was installed      | ci_fix              |
      | opencode    | a new image of opencode with version 1.3.2 was installed           | conflict_resolution |
      | copilot     | a new image of copilot with version 1.0.24 was installed           | answer              |

    Examples: more combinations
      | adapter | cause                                         | phase               |
      | copilot | at its next start the CLI refuses the session | analysis            |
      | copilot | at its next start the CLI refuses the session | development         |
      | copilot | at its next start the CLI refuses the session | ci_fix              |
      | copilot | at its next start the CLI refuses the session | conflict_resolution |
      | copilot | at its next start the CLI refuses the session | answer              |

  @fallback-8
  Scenario Outline: A fresh start that fails counts once, as it would have without the refusal
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <failure>
    When a <phase> run of the issue is due
    And 59 seconds pass
    Then the second run has failed
    And the issue has an LLM retry counter of 1
    And there are 2 runs of the issue

    Examples:
      | adapter     | failure                             | phase               |
      | claude-code | is killed before naming the session | conflict_resolution |

    Examples: more combinations
      | adapter     | failure                             | phase               |
      | claude-code | is rate limited                     | development         |
      | codex       | gets a server error                 | ci_fix              |
      | opencode    | fails with a general error          | answer              |
      | copilot     | is not authorised                   | review_fix          |

  @fallback-8
  Scenario Outline: A fresh start that fails is tried again after the first pause, as it would have been without the refusal
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <failure>
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then there are 3 runs of the issue
    And the third run has succeeded
    And the issue has an LLM retry counter of 0

    Examples:
      | adapter     | failure                    | phase       |
      | copilot     | is not authorised          | review_fix  |

    Examples: more combinations
      | adapter     | failure                    | phase       |
      | claude-code | is rate limited            | development |
      | codex       | gets a server error        | ci_fix      |
      | opencode    | fails with a general error | answer      |

  @fallback-8
  Scenario Outline: A run that lost its state and then fails counts once
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    And at its next start the CLI is rate limited
    When a <phase> run of the issue is due
    And 59 seconds pass
    Then the second run has failed
    And the issue has an LLM retry counter of 1
    And there are 2 runs of the issue

    Examples:
      | adapter     | cause                                                    | phase       |
      | codex       | the state directory of the issue was emptied             | development |

    Examples: more combinations
      | adapter     | cause                                                    | phase       |
      | claude-code | the state directory of the issue was removed             | answer      |
      | opencode    | a new image of opencode with version 1.3.2 was installed | ci_fix      |
      | copilot     | a new image of copilot with version 1.0.24 was installed | review_fix  |

  @fallback-8
  Scenario Outline: A refusal takes nothing from the retries that an issue has left
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI is rate limited
    And at its next start the CLI refuses the session, and at the one after it is rate limited
    And at its next start the CLI refuses the session
    When a <phase> run of the issue is due
    And 7 minutes pass
    Then the fifth run has succeeded
    And there are 5 runs of the issue
    And the issue has an LLM retry counter of 0
    And the tracker has seen 1 comment of the issue

    Examples:
      | adapter     | phase               |
      | copilot     | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | codex       | ci_fix              |
      | opencode    | review_fix          |

  @fallback-9
  Scenario Outline: A fallback changes no status, counter or label
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the twin issue has ended
    And a <phase> run of the twin issue has ended
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the issue has had the same labels, branches and merge requests as the twin issue
    And state and counters of the issue are those of the twin issue

    Examples: every reason and every adapter
      | adapter     | cause                                                    | phase               |
      | codex       | at its next start the CLI refuses the session            | ci_fix              |
      | opencode    | a new image of opencode with version 1.3.2 was installed | answer              |
      | copilot     | the state directory of the issue was emptied             | conflict_resolution |
      | claude-code | the project was bound to codex                           | answer              |

    Examples: more combinations
      | adapter     | cause                                                              | phase               |
      | claude-code | at its next start the CLI refuses the session                      | development         |
      | opencode    | at its next start the CLI refuses the session                      | review_fix          |
      | copilot     | at its next start the CLI refuses the session                      | conflict_resolution |
      | claude-code | at its next start the CLI refuses the session after naming a decoy | answer              |
      | opencode    | at its next start the CLI finds the session damaged                | analysis            |
      | claude-code | the state directory of the issue was removed                       | development         |
      | codex       | the state directory of the issue was emptied                       | ci_fix              |
      | opencode    | the state directory of the issue was removed                       | review_fix          |
      | codex       | the project was bound to opencode                                  | analysis            |
      | opencode    | the project was bound to copilot                                   | development         |
      | copilot     | the project was bound to claude-code                               | ci_fix              |
      | claude-code | a new image of claude-code with version 1.0.100 was installed      | review_fix          |
      | codex       | a new image of codex with version 0.100.0 was installed            | conflict_resolution |
      | copilot     | a new image of copilot with version 1.0.24 was installed           | analysis            |

    Examples: more combinations
      | adapter     | cause                                         | phase               |
      | claude-code | at its next start the CLI refuses the session | analysis            |
      | claude-code | at its next start the CLI refuses the session | ci_fix              |
      | claude-code | at its next start the CLI refuses the session | review_fix          |
      | claude-code | at its next start the CLI refuses the session | conflict_resolution |
      | claude-code | at its next start the CLI refuses the session | answer              |

  @fallback-9
  Scenario Outline: A fallback has changed nothing either while its fresh start is under way
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the twin issue has ended
    And a <phase> run of the twin issue in which the CLI <hang>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <hang>
    When a <phase> run of the issue is due
    Then the second run is live
    And the CLI was started 2 times in the second run
    And the issue has had the same labels, branches and merge requests as the twin issue
    And state and counters of the issue are those of the twin issue

    Examples:
      | adapter     | hang                            | phase       |
      | copilot     | hangs before naming the session | answer      |

    Examples: more combinations
      | adapter     | hang                            | phase       |
      | claude-code | hangs after naming the session  | development |
      | codex       | hangs after naming the session  | ci_fix      |
      | opencode    | hangs before naming the session | review_fix  |

  @fallback-10
  Scenario Outline: A fallback posts no comment
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the twin issue has ended
    And a <phase> run of the twin issue has ended
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the issue has had the same comments as the twin issue, none of which speaks of sessions

    Examples: every reason and every adapter
      | adapter     | cause                                                    | phase       |
      | claude-code | at its next start the CLI refuses the session            | ci_fix      |
      | copilot     | at its next start the CLI refuses the session            | answer      |
      | claude-code | the state directory of the issue was removed             | ci_fix      |
      | codex       | the project was bound to opencode                        | development |
      | opencode    | a new image of opencode with version 1.3.2 was installed | analysis    |

    Examples: more combinations
      | adapter     | cause                                                              | phase               |
      | codex       | at its next start the CLI refuses the session                      | review_fix          |
      | opencode    | at its next start the CLI refuses the session                      | conflict_resolution |
      | claude-code | at its next start the CLI refuses the session after naming a decoy | analysis            |
      | opencode    | at its next start the CLI finds the session damaged                | development         |
      | codex       | the state directory of the issue was emptied                       | review_fix          |
      | opencode    | the state directory of the issue was removed                       | conflict_resolution |
      | copilot     | the state directory of the issue was emptied                       | answer              |
      | claude-code | the project was bound to codex                                     | analysis            |
      | opencode    | the project was bound to copilot                                   | ci_fix              |
      | copilot     | the project was bound to claude-code                               | review_fix          |
      | claude-code | a new image of claude-code with version 1.0.100 was installed      | conflict_resolution |
      | codex       | a new image of codex with version 0.100.0 was installed            | answer              |
      | copilot     | a new image of copilot with version 1.0.24 was installed           | development         |

    Examples: more combinations
      | adapter | cause                                         | phase               |
      | codex   | at its next start the CLI refuses the session | analysis            |
      | codex   | at its next start the CLI refuses the session | development         |
      | codex   | at its next start the CLI refuses the session | ci_fix              |
      | codex   | at its next start the CLI refuses the session | conflict_resolution |
      | codex   | at its next start the CLI refuses the session | answer              |

  @fallback-10
  Scenario Outline: A fallback posts no comment while its fresh start is under way, or where that fails
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <second>
    When a <phase> run of the issue is due
    Then the tracker has seen 1 comment of the issue
    And no comment speaks of sessions, resuming or falling back

    Examples:
      | adapter     | second                          | phase       |
      | opencode    | is rate limited                 | answer      |

    Examples: more combinations
      | adapter     | second                          | phase       |
      | claude-code | hangs after naming the session  | development |
      | codex       | hangs before naming the session | ci_fix      |
      | copilot     | fails with a general error      | review_fix  |

  @fallback-11
  Scenario Outline: A run whose session cannot be resumed does not fail for that
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then the second run has succeeded
    And there are 2 runs of the issue

    Examples: every reason and every adapter
      | adapter     | cause                                                   | phase      |
      | claude-code | at its next start the CLI refuses the session           | review_fix |
      | claude-code | the state directory of the issue was removed            | review_fix |
      | opencode    | the project was bound to copilot                        | review_fix |
      | codex       | a new image of codex with version 0.100.0 was installed | analysis   |

    Examples: more combinations
      | adapter     | cause                                                              | phase               |
      | codex       | at its next start the CLI refuses the session                      | conflict_resolution |
      | opencode    | at its next start the CLI refuses the session                      | answer              |
      | copilot     | at its next start the CLI refuses the session                      | analysis            |
      | claude-code | at its next start the CLI refuses the session after naming a decoy | development         |
      | opencode    | at its next start the CLI finds the session damaged                | ci_fix              |
      | codex       | the state directory of the issue was emptied                       | conflict_resolution |
      | opencode    | the state directory of the issue was removed                       | answer              |
      | copilot     | the state directory of the issue was emptied                       | analysis            |
      | claude-code | the project was bound to codex                                     | development         |
      | codex       | the project was bound to opencode                                  | ci_fix              |
      | copilot     | the project was bound to claude-code                               | conflict_resolution |
      | claude-code | a new image of claude-code with version 1.0.100 was installed      | answer              |
      | opencode    | a new image of opencode with version 1.3.2 was installed           | development         |
      | copilot     | a new image of copilot with version 1.0.24 was installed           | ci_fix              |

    Examples: more combinations
      | adapter     | cause                                         | phase               |
      | opencode    | at its next start the CLI refuses the session | analysis            |
      | opencode    | at its next start the CLI refuses the session | development         |
      | opencode    | at its next start the CLI refuses the session | ci_fix              |
      | opencode    | at its next start the CLI refuses the session | review_fix          |
      | opencode    | at its next start the CLI refuses the session | conflict_resolution |
      | claude-code | the state directory of the issue was removed  | analysis            |
      | claude-code | the state directory of the issue was removed  | development         |
      | claude-code | the state directory of the issue was removed  | ci_fix              |
      | claude-code | the state directory of the issue was removed  | conflict_resolution |
      | claude-code | the state directory of the issue was removed  | answer              |
