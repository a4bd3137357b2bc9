Feature: What is known before the start is not tried in vain
  Another adapter, an unfit version and missing state can be seen before anything is started. Such a run starts its CLI
  once, asks it for nothing, and where several reasons hold, the row names the first of a fixed order.

  # seen in: generalaction/emdash#1229
  # seen in: patrickdappollonio/dux#183
  @fallback-15
  Scenario Outline: A reason that can be seen beforehand costs no start
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run did not ask the CLI to resume anything
    And no start of the second run was given the native id of the first run

    Examples: state that is missing
      | adapter     | cause                                                 | phase               |
      | claude-code | the whole session directory of the issue was removed  | ci_fix              |

    Examples: an unfit version
      | adapter     | cause                                                      | phase               |
      | claude-code | a new image of claude-code with version 1.0.100 was installed | development      |

    Examples: another adapter
      | adapter | cause                            | phase  |
      | codex   | the project was bound to copilot | ci_fix |

    Examples: more combinations
      | adapter     | cause                                                 | phase               |
      | claude-code | the state directory of the issue was removed          | analysis            |
      | codex       | the state directory of the issue was removed          | development         |
      | opencode    | the state directory of the issue was removed          | ci_fix              |
      | copilot     | the state directory of the issue was removed          | review_fix          |
      | claude-code | the state directory of the issue was emptied          | conflict_resolution |
      | codex       | the state directory of the issue was emptied          | answer              |
      | opencode    | the state directory of the issue was emptied          | analysis            |
      | copilot     | the state directory of the issue was emptied          | development         |
      | codex       | the whole session directory of the issue was removed  | review_fix          |
      | opencode    | the whole session directory of the issue was removed  | conflict_resolution |
      | copilot     | the whole session directory of the issue was removed  | answer              |
      | claude-code | only empty folders are left of the state of the issue | development         |
      | codex       | only empty folders are left of the state of the issue | ci_fix              |
      | opencode    | only empty folders are left of the state of the issue | review_fix          |
      | copilot     | only empty folders are left of the state of the issue | conflict_resolution |

    Examples: more combinations
      | adapter     | cause                                | phase       |
      | claude-code | the project was bound to codex       | development |
      | copilot     | the project was bound to opencode    | review_fix  |
      | opencode    | the project was bound to claude-code | answer      |

    Examples: more combinations
      | adapter     | cause                                                      | phase               |
      | codex       | a new image of codex with version 0.100.0 was installed    | ci_fix              |
      | opencode    | a new image of opencode with version 1.3.2 was installed   | conflict_resolution |
      | copilot     | a new image of copilot with version 1.0.24 was installed   | answer              |

  @fallback-18
  Scenario Outline: Where several reasons hold, the first of the order is on record
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <one>
    And <two>
    And <three>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of <reason>
    And the CLI was started 1 time in the second run

    Examples: another adapter comes first
      | adapter     | one                                                     | two                                                          | three                                          | phase       | reason          |
      | opencode    | the state directory of the issue was emptied            | a new image of copilot with version 1.0.24 was installed     | the project was bound to copilot               | review_fix  | adapter_changed |

    Examples: an unfit version comes before missing state and before a refusal
      | adapter     | one                                                           | two                                                   | three                                         | phase               | reason              |
      | claude-code | a new image of claude-code with version 1.0.100 was installed | the state directory of the issue was removed          | at its next start the CLI refuses the session | development         | unsupported_version |

    Examples: more combinations
      | adapter     | one                                                     | two                                                          | three                                          | phase       | reason          |
      | claude-code | the state directory of the issue was removed            | a new image of codex with version 0.100.0 was installed      | the project was bound to codex                 | development | adapter_changed |
      | codex       | the whole session directory of the issue was removed    | a new image of opencode with version 1.3.2 was installed     | the project was bound to opencode              | ci_fix      | adapter_changed |
      | copilot     | the state directory of the issue was removed            | a new image of claude-code with version 1.0.9 was installed  | the project was bound to claude-code           | answer      | adapter_changed |

    Examples: more combinations
      | adapter     | one                                                           | two                                                   | three                                         | phase               | reason              |
      | codex       | a new image of codex with version 0.100.0 was installed       | the state directory of the issue was emptied          | at its next start the CLI refuses the session | conflict_resolution | unsupported_version |
      | opencode    | a new image of opencode with version 1.3.2 was installed      | the whole session directory of the issue was removed  | at its next start the CLI refuses the session | review_fix          | unsupported_version |
      | copilot     | a new image of copilot with version 1.0.24 was installed      | only empty folders are left of the state of the issue | at its next start the CLI refuses the session | answer              | unsupported_version |

  @fallback-18
  Scenario Outline: Missing state is on record where the CLI would have refused as well
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <loss>
    And at its next start the CLI refuses the session
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of state_missing
    And the CLI was started 1 time in the second run

    Examples:
      | adapter     | loss                                                  | phase       |
      | opencode    | the whole session directory of the issue was removed  | analysis    |

    Examples: more combinations
      | adapter     | loss                                                  | phase       |
      | claude-code | the state directory of the issue was removed          | development |
      | codex       | the state directory of the issue was emptied          | ci_fix      |
      | copilot     | only empty folders are left of the state of the issue | answer      |

  @fallback-18
  Scenario Outline: A session that failed three times is given up for an earlier reason where one holds
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI is rate limited
    And a ci_fix run of the issue in which the CLI is rate limited
    And 3 minutes have passed
    And <cause>
    When 4 minutes pass
    Then the fifth run has succeeded
    And the fifth run is recorded as fresh because of <reason>

    Examples:
      | adapter     | cause                                                         | reason              |
      | codex       | the state directory of the issue was emptied                  | state_missing       |

    Examples: more combinations
      | adapter     | cause                                                         | reason              |
      | claude-code | the state directory of the issue was removed                  | state_missing       |
      | opencode    | a new image of opencode with version 1.3.2 was installed      | unsupported_version |
      | copilot     | a new image of copilot with version 1.0.24 was installed      | unsupported_version |

  @fallback-18
  Scenario Outline: Runs that stored no id leave nothing that another reason could be about
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI <behaviour>
    And <loss>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | behaviour          | loss                                                          | phase       |
      | claude-code | names no session   | the state directory of the issue was removed                  | development |

    Examples: more combinations
      | adapter     | behaviour          | loss                                                          | phase       |
      | codex       | names two sessions | the state directory of the issue was emptied                  | ci_fix      |
      | opencode    | names no session   | a new image of opencode with version 1.3.2 was installed      | answer      |
      | copilot     | names two sessions | the project was bound to codex                                | review_fix  |
