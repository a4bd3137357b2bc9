Feature: People find a session by its name where the CLI can show one
  Some CLIs can label a session. Those get the name as the label of a fresh session; from the others it stays hidden.

  @name-7
  Scenario Outline: A fresh session is labelled with the name
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the CLI was given the name as its label in the first run

    Examples:
      | adapter     | phase               |
      | opencode    | analysis            |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | answer              |
      | opencode    | development         |
      | opencode    | review_fix          |
      | copilot     | analysis            |
      | copilot     | development         |
      | copilot     | conflict_resolution |

  @name-7
  Scenario Outline: A version without a label option is not given one
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the CLI was given no label in the first run
    And the name is nowhere in the arguments of the first run, prompt aside
    And the first run has the name of the issue's branch on record

    Examples:
      | adapter     | version |
      | claude-code | 2.0.54  |

    Examples: more combinations
      | adapter     | version |
      | codex       | 0.122.0 |
      | codex       | 0.171.0 |

  @name-7
  Scenario Outline: A version with a label option is given the name
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the CLI was given the name as its label in the first run

    Examples:
      | adapter     | version |
      | claude-code | 10.0.0  |
      | opencode    | 1.15.3  |

    Examples: more combinations
      | adapter     | version |
      | claude-code | 2.1.197 |
      | claude-code | 2.2.0   |
      | copilot     | 1.0.73  |

  @name-7
  Scenario Outline: The session after a refusal is labelled as the first one was
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was given the name as its label at the last start of the second run

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |

  @name-7
  Scenario Outline: The session that replaces lost state is labelled as the first one was
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the state directory of the issue was emptied
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was given the name as its label in the second run

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | opencode    |
      | copilot     |

  @name-7
  Scenario Outline: A session that goes on is not labelled again
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the CLI was given no label in the second run

    Examples:
      | adapter     | phase       |
      | opencode    | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | copilot     | review_fix  |

  @name-7
  Scenario: A name that is too long for the label of a CLI stays in the engine, whole
    Given issue 9007199254740991 served by copilot, titled "many words that go on and on until nobody can follow"
    And the branch prefix is "a-prefix-of-exactly-forty-bytes-for-bots"
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the CLI understood the arguments of every start
    And the CLI was given no label in the first run
    And the name is nowhere in the arguments of the first run, prompt aside
    And the first run has the name of the issue's branch on record
