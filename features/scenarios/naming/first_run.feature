Feature: The first run of an issue gives it its name
  Branch and session of an issue have one name. It is made when the first run starts, whatever that run is for, out of
  the prefix and the title of that moment, and it is written down before the agent has done anything at all.

  @name-1
  Scenario Outline: The name is made of prefix, number and title
    Given an issue served by <adapter>, titled "<title>"
    And the branch prefix is "<prefix>"
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the name of the issue is "<prefix>issue-", its number, and the words "<title>"

    Examples:
      | adapter     | prefix       | title               |
      | copilot     | ai_          | count to 10 and 100 |

    Examples: more combinations
      | adapter     | prefix       | title               |
      | claude-code | agent/       | add a login page    |
      | codex       | bot-         | login               |
      | opencode    | team/agents/ | show open items     |

  @name-1
  Scenario Outline: What counts is the title at the first run, whatever that run is for
    Given an issue served by claude-code, titled "draft"
    And the issue was retitled to "better words"
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the name of the issue is "agent/issue-", its number, and the words "better words"

    Examples:
      | phase               |
      | conflict_resolution |

    Examples: more combinations
      | phase               |
      | analysis            |
      | development         |
      | ci_fix              |
      | review_fix          |
      | answer              |

  @name-1
  Scenario Outline: What counts is the prefix at the first run
    Given an issue served by <adapter>, titled "login page"
    And BRANCH_PREFIX was changed to "later-"
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the name of the issue is "later-issue-", its number, and the words "login page"

    Examples:
      | adapter     | phase       |
      | claude-code | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | development |
      | opencode    | answer      |
      | copilot     | ci_fix      |

  @name-1
  Scenario Outline: An issue that is worked on anew is named anew
    Given an issue served by <adapter>, titled "login page"
    And a <before> run of the issue has ended
    And the issue was <closed>
    And the issue was retitled to "better words"
    And BRANCH_PREFIX was changed to "later-"
    And the issue was reopened
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the name of the issue is "later-issue-", its number, and the words "better words"

    Examples:
      | adapter     | before      | closed                 | phase       |
      | codex       | analysis    | unassigned             | analysis    |

    Examples: more combinations
      | adapter     | before      | closed                 | phase       |
      | claude-code | development | closed by merge        | analysis    |
      | opencode    | development | closed without a merge | answer      |
      | grok-build  | analysis    | unassigned             | development |

  @name-2
  Scenario Outline: The name is stored before the CLI of the first run has said a word, and before there is a branch
    Given an issue served by <adapter>, titled "login page"
    And at its next start the CLI hangs before naming the session
    When a <phase> run of the issue is due
    Then the first run is live
    And the CLI was started 1 time for the issue
    And the mailbox of the issue has a branch name before any branch is pushed
    And the name of the issue is "agent/issue-", its number, and the words "login page"

    Examples:
      | adapter     | phase               |
      | grok-build  | development         |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | analysis            |
      | codex       | development         |
      | codex       | ci_fix              |
      | codex       | review_fix          |
      | codex       | conflict_resolution |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | copilot     | analysis            |
      | copilot     | development         |
      | grok-build  | analysis            |

  @name-2
  Scenario Outline: A first run that comes to nothing has given the issue its name all the same
    Given an issue served by <adapter>, titled "login page"
    And at its next start the CLI <behaves>
    When an analysis run of the issue is due
    Then the mailbox of the issue has a branch name before any branch is pushed
    And the name of the issue is "agent/issue-", its number, and the words "login page"

    Examples:
      | adapter     | behaves                             |
      | opencode    | gets a server error                 |

    Examples: more combinations
      | adapter     | behaves                             |
      | claude-code | fails without a word                |
      | claude-code | is rate limited                     |
      | codex       | is killed before naming the session |
      | codex       | refuses its arguments               |
      | copilot     | fails with a general error          |

  @name-2 @name-4 @name-6
  Scenario Outline: The name is fixed at the first run also where no session applies
    Given an issue served by <adapter>, titled "login page"
    And AGENT_SESSION_RESUME is <setting> at project scope
    And an analysis run of the issue has ended
    And the name of the issue is noted
    And the issue was retitled to "something else"
    When a development run of the issue is due
    Then the second run has succeeded
    And the name of the issue is the one noted
    And the name of the issue is "agent/issue-", its number, and the words "login page"
    And the only branch pushed has the name noted for the issue

    Examples:
      | adapter     | setting |
      | api         | true    |

    Examples: more combinations
      | adapter     | setting |
      | claude-code | false   |
      | codex       | false   |
      | opencode    | false   |
      | copilot     | false   |
      | grok-build  | true    |

  @name-3 @name-11
  Scenario Outline: The row of every run has the name, in the order in which an issue is worked on
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And an answer run of the issue has ended
    And a development run of the issue has ended
    And a ci_fix run of the issue has ended
    And a review_fix run of the issue has ended
    When a conflict_resolution run of the issue is due
    Then there are 6 runs of the issue
    And every run of the issue has the name of its branch on record

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @name-11
  Scenario Outline: A run has the name on its row however it ends
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <behaves>
    When a development run of the issue is due
    Then there are 2 runs of the issue
    And every run of the issue has the name of its branch on record

    Examples:
      | adapter     | behaves                           |
      | opencode    | refuses the session               |
      | claude-code | is rate limited                   |

    Examples: more combinations
      | adapter     | behaves                           |
      | claude-code | refuses the session               |
      | claude-code | hangs before naming the session   |
      | codex       | refuses the session               |
      | codex       | hangs after naming the session    |
      | codex       | is killed after naming the session |
      | opencode    | fails without a word              |
      | copilot     | refuses the session               |
      | copilot     | gets a server error               |

  @name-11
  Scenario Outline: A fresh session keeps the name of the issue on its row
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the state directory of the issue was removed
    When a development run of the issue is due
    Then the second run has succeeded
    And every run of the issue has the name of its branch on record

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |
