Feature: Every later run of an issue resumes its session
  One issue has one memory. Whatever a later run is for, the CLI is started with its resume option and the native id
  of the session before, and the agent remembers what it was asked earlier.

  @resume-2 @resume-9
  Scenario Outline: A second run in any phase resumes the session of the first
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed
    And the native id on record for the second run is the one of the session that the CLI served

    Examples:
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | codex       | ci_fix              |
      | opencode    | conflict_resolution |
      | copilot     | review_fix          |
      | copilot     | answer              |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | analysis            |
      | codex       | development         |
      | codex       | review_fix          |
      | codex       | conflict_resolution |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | opencode    | ci_fix              |
      | opencode    | review_fix          |
      | opencode    | answer              |
      | copilot     | analysis            |
      | copilot     | development         |
      | copilot     | ci_fix              |
      | copilot     | conflict_resolution |

  @resume-2
  Scenario Outline: A session that has lain idle for weeks is resumed
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <days> days have passed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | days | phase       |
      | opencode    | 20   | development |

    Examples: more combinations
      | adapter     | days | phase       |
      | claude-code | 29   | development |
      | codex       | 2    | answer      |
      | copilot     | 8    | analysis    |
