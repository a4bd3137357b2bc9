Feature: Every phase goes by the stored name, and so does the branch
  The name is the issue's, not the branch's: analysis has it long before there is a branch, and when there is one it is
  called by that name and nothing else.

  @name-3
  Scenario Outline: A phase goes by the stored name while there is no branch
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And every run of the issue has the same name on record
    And every run of the issue has the name of its branch on record

    Examples:
      | adapter     | phase               |
      | claude-code | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | answer              |
      | codex       | analysis            |
      | opencode    | answer              |
      | copilot     | analysis            |

  @name-3
  Scenario Outline: A phase goes by the stored name once there is a branch
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And every run of the issue has the same name on record
    And every run of the issue has the name of its branch on record
    And the only branch pushed has the name on record

    Examples:
      | adapter     | phase               |
      | codex       | ci_fix              |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | opencode    | review_fix          |
      | copilot     | conflict_resolution |

  @name-3
  Scenario Outline: The session of a first run has the stored name in every phase
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the CLI was given the name as its label in the first run
    And the first run has the name of the issue's branch on record

    Examples:
      | adapter     | phase               |
      | claude-code | analysis            |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |

  @name-3
  Scenario Outline: Phases that are served by different agents go by one name
    Given an issue served by <first>
    And the development phase is served by <second>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    When a ci_fix run of the issue is due
    Then the third run has succeeded
    And every run of the issue has the same name on record
    And the only branch pushed has the name on record

    Examples:
      | first       | second      |
      | codex       | opencode    |

    Examples: more combinations
      | first       | second      |
      | claude-code | codex       |
      | opencode    | copilot     |
      | copilot     | claude-code |

  @name-6
  Scenario Outline: The branch is pushed under exactly the stored name
    Given an issue served by <adapter>, titled "login page"
    And the branch prefix is "<prefix>"
    And an analysis run of the issue has ended
    And the name of the issue is noted
    When a development run of the issue is due
    Then the second run has succeeded
    And the only branch pushed has the name noted for the issue
    And no branch was pushed before the tracker showed the issue in development
    And only one merge request was opened

    Examples:
      | adapter     | prefix       |
      | grok-build  | agent/       |

    Examples: more combinations
      | adapter     | prefix       |
      | claude-code | agent/       |
      | codex       | bot-         |
      | opencode    | team/agents/ |
      | copilot     | ai_          |

  @name-6
  Scenario Outline: No branch is pushed before development
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And an answer run of the issue has ended
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And no branch has been pushed

    Examples:
      | adapter     | phase    |
      | copilot     | answer   |

    Examples: more combinations
      | adapter     | phase    |
      | claude-code | analysis |
      | claude-code | answer   |
      | codex       | analysis |
      | opencode    | analysis |
      | grok-build  | analysis |

  @name-6
  Scenario Outline: Later phases push the same branch again
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the name of the issue is noted
    And a ci_fix run of the issue has ended
    And a review_fix run of the issue has ended
    When a conflict_resolution run of the issue is due
    Then the last run has succeeded
    And the only branch pushed has the name noted for the issue
    And only one merge request was opened

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @name-6
  Scenario Outline: The branch of an issue is named after the issue also where another one comes between
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the issue has ended
    And an analysis run of the twin issue has ended
    And the name of the twin issue is noted
    When a development run of the twin issue is due
    Then the second run of the twin issue has succeeded
    And the only branch pushed has the name noted for the twin issue

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |

  @name-6
  Scenario Outline: The branch of an issue is named after the issue also where a run of another one begins meanwhile
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue in which the CLI hangs after naming the session
    And the name of the issue is noted
    And an analysis run of the other issue has ended
    When the CLI goes on to its end
    Then the first run of the issue has succeeded
    And the only branch pushed has the name noted for the issue

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |
