Feature: A name never changes
  Titles are edited and prefixes are changed while an agent works on an issue. Name, branch, session and directory stay
  what they were; there is never a second branch or a second merge request.

  # seen in: mattpocock/sandcastle#618, BloopAI/vibe-kanban#2996
  @name-4
  Scenario Outline: A new title changes neither name nor branch
    Given an issue served by <adapter>
    And a <before> run of the issue has ended
    And the name of the issue is noted
    And the issue was retitled to "Quite another subject"
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the name of the issue is the one noted
    And every run of the issue has the same name on record

    Examples:
      | adapter     | before      | phase               |
      | copilot     | development | conflict_resolution |

    Examples: more combinations
      | adapter     | before      | phase               |
      | claude-code | analysis    | analysis            |
      | claude-code | analysis    | development         |
      | claude-code | development | ci_fix              |
      | claude-code | development | review_fix          |
      | claude-code | development | conflict_resolution |
      | claude-code | development | answer              |
      | codex       | analysis    | development         |
      | codex       | development | ci_fix              |
      | opencode    | analysis    | development         |
      | opencode    | development | review_fix          |
      | copilot     | analysis    | development         |

  # seen in: mattpocock/sandcastle#618, aliengiraffe/vigilante#22
  @name-5
  Scenario Outline: A new prefix changes neither name nor branch
    Given an issue served by <adapter>
    And a <before> run of the issue has ended
    And the name of the issue is noted
    And BRANCH_PREFIX was changed to "new-team/"
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the name of the issue is the one noted
    And every run of the issue has the same name on record

    Examples:
      | adapter     | before      | phase               |
      | claude-code | analysis    | analysis            |

    Examples: more combinations
      | adapter     | before      | phase               |
      | claude-code | analysis    | development         |
      | claude-code | development | ci_fix              |
      | claude-code | development | review_fix          |
      | claude-code | development | conflict_resolution |
      | claude-code | development | answer              |
      | codex       | analysis    | development         |
      | codex       | development | ci_fix              |
      | opencode    | analysis    | development         |
      | opencode    | development | review_fix          |
      | copilot     | analysis    | development         |
      | copilot     | development | conflict_resolution |

  @name-4
  Scenario Outline: After a new title the agent goes on with its branch and its merge request
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the name of the issue is noted
    And the issue was retitled to "A second title"
    And a development run of the issue has ended
    And the issue was retitled to "A third title"
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the only branch pushed has the name noted for the issue
    And the only branch pushed has the name on record
    And only one merge request was opened

    Examples:
      | adapter     | phase               |
      | codex       | review_fix          |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | opencode    | conflict_resolution |
      | copilot     | ci_fix              |

  @name-5
  Scenario Outline: After a new prefix the agent goes on with its branch and its merge request
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the name of the issue is noted
    And BRANCH_PREFIX was changed to "second/"
    And a development run of the issue has ended
    And BRANCH_PREFIX was changed to "third/"
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the only branch pushed has the name noted for the issue
    And the only branch pushed has the name on record
    And only one merge request was opened

    Examples:
      | adapter     | phase               |
      | opencode    | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | codex       | review_fix          |
      | copilot     | ci_fix              |

  # seen in: mattpocock/sandcastle#618, BloopAI/vibe-kanban#2996, aliengiraffe/vigilante#38
  @name-4 @name-5
  Scenario Outline: With title and prefix changed at once the issue goes on where it was
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the name of the issue is noted
    And the issue was retitled to "Both are new"
    And BRANCH_PREFIX was changed to "both-"
    And a development run of the issue has ended
    And the engine was killed and started again
    When a review_fix run of the issue is due
    Then the third run has succeeded
    And the name of the issue is the one noted
    And every run of the issue has the same name on record
    And the only branch pushed has the name noted for the issue
    And only one merge request was opened

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @name-4 @name-5
  Scenario Outline: A title or prefix that changes while the first run lasts comes too late
    Given an issue served by <adapter>, titled "early words"
    And a development run of the issue in which the CLI hangs after naming the session
    And the name of the issue is noted
    And the issue was retitled to "late words"
    And BRANCH_PREFIX was changed to "late-"
    When the CLI goes on to its end
    Then the first run has succeeded
    And the name of the issue is the one noted
    And the only branch pushed has the name noted for the issue
    And the name of the issue is "agent/issue-", its number, and the words "early words"

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @name-4 @name-5
  Scenario Outline: A fresh session of the issue has the old name
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the name of the issue is noted
    And the issue was retitled to "Never to be seen"
    And BRANCH_PREFIX was changed to "unseen/"
    And the state directory of the issue was removed
    When a development run of the issue is due
    Then the second run has succeeded
    And every run of the issue has the same name on record
    And the only branch pushed has the name noted for the issue

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @name-4 @name-5
  Scenario Outline: A fresh session of the issue is labelled with the old name
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the issue was retitled to "<title>"
    And BRANCH_PREFIX was changed to "<prefix>"
    And the state directory of the issue was removed
    When a development run of the issue is due
    Then the second run has succeeded
    And every run of the issue has the same name on record
    And the CLI was given the name as its label in the second run

    Examples:
      | adapter     | title            | prefix  |
      | opencode    | Never to be seen | unseen/ |

    Examples: more combinations
      | adapter     | title            | prefix  |
      | claude-code | Never to be seen | unseen/ |
      | claude-code | Never to be seen | agent/  |
      | copilot     | Never to be seen | unseen/ |

  # seen in: mattpocock/sandcastle#618, BloopAI/vibe-kanban#2996, aliengiraffe/vigilante#22
  @resume-2
  Scenario Outline: A new title or prefix does not cost the agent its memory
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the issue was retitled to "<title>"
    And BRANCH_PREFIX was changed to "<prefix>"
    When a development run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed
    And the second and the first run had the same state directory mounted

    Examples:
      | adapter     | title          | prefix |
      | codex       | Something else | next-  |

    Examples: more combinations
      | adapter     | title          | prefix |
      | claude-code | Something else | agent/ |
      | opencode    | Something else | next-  |
      | copilot     | Something else | next-  |
