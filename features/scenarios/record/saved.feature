Feature: An id whose session was never saved is not kept
  A CLI can answer and end well though it could not write its session to disk. Nothing can ever resume such a session, so
  its id is not stored, and the next run does not ask for it.

  @record-3
  Scenario Outline: A first run that saved nothing has no id on record
    Given an issue served by <adapter>
    And at its next start the CLI answers and saves nothing
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the first run has no native id on record

    Examples: every phase
      | adapter     | phase               |
      | codex       | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | answer              |
      | codex       | ci_fix              |
      | codex       | review_fix          |

  @record-3
  Scenario Outline: A run that changed other files but saved no session has no id on record
    Given an issue served by <adapter>
    And at its next start the CLI saves nothing while the agent writes to its worktree
    When a development run of the issue is due
    Then the first run has succeeded
    And the first run has no native id on record

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |

  @record-3
  Scenario Outline: A run that planted a link but saved no session has no id on record
    Given an issue served by <adapter>
    And at its next start the CLI saves nothing while the agent plants a link among its sessions
    When a development run of the issue is due
    Then the first run has succeeded
    And the first run has no native id on record

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |

  @record-3
  Scenario Outline: A resumed run that saved nothing has no id on record, and the next run asks for the saved session
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a <first> run of the issue in which the CLI answers and saves nothing
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run has no native id on record
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     | first       | phase               |
      | codex       | development | review_fix          |

    Examples: more combinations
      | adapter     | first       | phase               |
      | claude-code | development | ci_fix              |
      | claude-code | answer      | answer              |
      | codex       | ci_fix      | conflict_resolution |

  @record-3
  Scenario Outline: The fresh start of a fallback that saved nothing has no id on record
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it answers and saves nothing
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run has no native id on record
    And the second run is recorded as fresh because of refused

    Examples:
      | adapter     | phase       |
      | codex       | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
