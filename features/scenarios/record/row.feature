Feature: Every run's row says which session it had, and a person can read it
  The row of a run holds the session's name, the CLI's own id for it, whether it was resumed, and if not, why. The page
  that shows a run to a person tells the same.

  @record-1
  Scenario Outline: The row of a first run holds name, id and reason
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the first run has the name of the issue's branch on record
    And the native id on record for the first run is the one of the session that the CLI served
    And the first run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | phase       |
      | claude-code | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | development |
      | opencode    | answer      |
      | copilot     | analysis    |

  @record-1
  Scenario Outline: The row of a resumed run holds name and id, says so, and has no reason
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run has the name of the issue's branch on record
    And the native id on record for the second run is the one of the session that the CLI served
    And the second run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | codex       | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | opencode    | review_fix  |
      | copilot     | answer      |

  @record-1
  Scenario Outline: The row of a run without a session has a false for resumed and nothing else
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is <value> at project scope
    When a <phase> run of the issue is due
    Then the first run of the issue has succeeded
    And the first run of the issue has no session on record

    Examples:
      | adapter     | value | phase       |
      | api         | true  | answer      |

    Examples: more combinations
      | adapter     | value | phase       |
      | claude-code | false | development |
      | codex       | false | ci_fix      |
      | opencode    | false | answer      |
      | copilot     | false | review_fix  |
      | grok-build  | true  | development |

  @record-1
  Scenario Outline: The row of a run that has not named its session yet says that it was not resumed
    Given an issue served by <adapter>
    And at its next start the CLI hangs before naming the session
    When a <phase> run of the issue is due
    Then the first run is live
    And the first run has no native id on record
    And the first run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | phase       |
      | opencode    | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | codex       | development |
      | copilot     | analysis    |

  @record-2
  Scenario Outline: The session detail of a resumed run says so
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the session detail of the second run shows its name, its native id and that it was resumed

    Examples:
      | adapter     | phase               |
      | copilot     | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | codex       | ci_fix              |
      | opencode    | review_fix          |
      | copilot     | answer              |
      | codex       | analysis            |

  @record-2
  Scenario Outline: The session detail of a first run has the reason for its fresh start
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the session detail of the first run shows its name, its native id and the reason no_prior_session

    Examples:
      | adapter     | phase       |
      | codex       | development |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | opencode    | answer      |
      | copilot     | analysis    |

  @record-2
  Scenario Outline: The session detail of a run that could not resume has its reason
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the session detail of the second run shows its name, its native id and the reason <reason>

    Examples:
      | adapter     | cause                                               | phase               | reason          |
      | opencode    | at its next start the CLI finds the session damaged | ci_fix              | refused         |

    Examples: more combinations
      | adapter     | cause                                               | phase               | reason          |
      | claude-code | at its next start the CLI refuses the session       | development         | refused         |
      | codex       | at its next start the CLI refuses the session       | answer              | refused         |
      | copilot     | at its next start the CLI refuses the session       | review_fix          | refused         |
      | claude-code | the state directory of the issue was removed        | answer              | state_missing   |
      | codex       | the state directory of the issue was emptied        | development         | state_missing   |
      | opencode    | the state directory of the issue was removed        | analysis            | state_missing   |
      | copilot     | the state directory of the issue was emptied        | conflict_resolution | state_missing   |
      | claude-code | the project was bound to codex                      | review_fix          | adapter_changed |
      | codex       | the project was bound to copilot                    | ci_fix              | adapter_changed |
      | opencode    | the project was bound to claude-code                | answer              | adapter_changed |
      | copilot     | the project was bound to opencode                   | development         | adapter_changed |

  @record-2
  Scenario Outline: The session detail of a run with an unfit version has its reason
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the session detail of the second run shows its name, its native id and the reason unsupported_version

    Examples:
      | adapter     | version | phase       |
      | claude-code | 1.0.100 | development |

    Examples: more combinations
      | adapter     | version | phase       |
      | codex       | 0.100.0 | ci_fix      |
      | opencode    | 1.3.2   | answer      |
      | copilot     | 1.0.24  | review_fix  |
