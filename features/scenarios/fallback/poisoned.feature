Feature: A session that fails again and again is given up before the issue is
  A session can be accepted on resume and still fail every time, because its history holds something that the provider
  refuses. After three failed runs that asked for one and the same session, the next run starts afresh.

  # seen in: github/copilot-cli#3183
  # seen in: anomalyco/opencode#10616
  # seen in: multica-ai/multica#6083
  @fallback-20
  Scenario Outline: A history that the provider rejects does not block the issue
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI has its history rejected
    When a <phase> run of the issue is due
    And 7 minutes pass
    Then there are 5 runs of the issue
    And the fourth run has failed
    And the fourth run asked the CLI to resume the native id of the first run
    And the fifth run has succeeded
    And the CLI was started 1 time in the fifth run
    And the fifth run did not ask the CLI to resume anything
    And no start of the fifth run was given the native id of the first run
    And the fifth run is recorded as fresh because of refused
    And the issue has an LLM retry counter of 0

    Examples: every adapter
      | adapter     | phase       |
      | codex       | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | opencode    | review_fix  |
      | copilot     | answer      |

    Examples: more combinations
      | adapter  | phase               |
      | opencode | analysis            |
      | opencode | development         |
      | opencode | ci_fix              |
      | opencode | conflict_resolution |
      | opencode | answer              |

  @fallback-20
  Scenario Outline: Three failures of any kind are enough
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <one>
    And at its next start the CLI <two>
    And at its next start the CLI <three>
    When a <phase> run of the issue is due
    And 7 minutes pass
    Then the fifth run has succeeded
    And the fifth run did not ask the CLI to resume anything
    And the fifth run is recorded as fresh because of refused

    Examples:
      | adapter     | one                                 | two                                 | three                      | phase       |
      | copilot     | is killed after naming the session  | is rate limited                     | fails without a word       | development |

    Examples: more combinations
      | adapter     | one                                 | two                                 | three                      | phase       |
      | claude-code | is rate limited                     | is rate limited                     | is rate limited            | development |
      | claude-code | fails without a word                | is killed before naming the session | is not authorised          | answer      |
      | codex       | is killed before naming the session | gets a server error                 | fails with a general error | ci_fix      |
      | opencode    | fails without a word                | fails without a word                | fails without a word       | review_fix  |

  @fallback-20
  Scenario Outline: Runs that used up their time count as failures
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 3 starts the CLI hangs <when> the session
    When a <phase> run of the issue is due
    And 97 minutes pass
    Then the fourth run has timed_out
    And the fifth run has succeeded
    And the fifth run did not ask the CLI to resume anything
    And the fifth run is recorded as fresh because of refused

    Examples:
      | adapter     | when          | phase       |
      | opencode    | after naming  | review_fix  |

    Examples: more combinations
      | adapter     | when          | phase       |
      | claude-code | after naming  | development |
      | codex       | before naming | ci_fix      |
      | copilot     | before naming | answer      |

  @fallback-20
  Scenario Outline: Two failures are not enough
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI is rate limited
    When a <phase> run of the issue is due
    And 3 minutes pass
    Then the fourth run has succeeded
    And the fourth run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | phase       |
      | codex       | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | opencode    | review_fix  |
      | copilot     | answer      |

  @fallback-20
  Scenario Outline: A failure of the run that made the session does not count
    Given an issue served by <adapter>
    And at its next 3 starts the CLI is rate limited
    When a <phase> run of the issue is due
    And 7 minutes pass
    Then there are 4 runs of the issue
    And the fourth run has succeeded
    And the fourth run asked the CLI to resume the native id of the first run
    And the fourth run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | codex       | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | opencode    | analysis    |
      | copilot     | answer      |

  @fallback-20
  Scenario Outline: A failure that followed a refusal does not count against the new session
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it is rate limited
    And at its next 2 starts the CLI is rate limited
    When a <phase> run of the issue is due
    And 7 minutes pass
    Then the fifth run has succeeded
    And the fifth run asked the CLI to resume the native id of the second run
    And the fifth run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | opencode    | review_fix  |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | copilot     | answer      |

  @fallback-20
  Scenario Outline: A run that succeeded in between begins the count anew
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI is rate limited
    And a development run of the issue in which the CLI is rate limited
    And 1 minute has passed
    And at its next start the CLI answers
    And 2 minutes have passed
    And a <phase> run of the issue in which the CLI is rate limited
    When 60 seconds pass
    Then the last run has succeeded
    And the last run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | phase      |
      | claude-code | ci_fix     |

    Examples: more combinations
      | adapter     | phase      |
      | codex       | review_fix |
      | opencode    | answer     |
      | copilot     | ci_fix     |

  @fallback-20
  Scenario Outline: An abandoned run does not count
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a <phase> run of the issue in which the CLI is rate limited
    And at its next start the CLI hangs before naming the session
    And at its next start the CLI is rate limited
    And 1 minute has passed
    And the lease of the issue has expired
    When 2 minutes pass
    Then the third run is abandoned
    And the fourth run has failed
    And the fifth run has succeeded
    And the fifth run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | phase       |
      | opencode    | review_fix  |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | copilot     | answer      |

  @fallback-20
  Scenario Outline: Runs of another adapter in between neither count nor break the count
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI is rate limited
    And a development run of the issue in which the CLI is rate limited
    And 1 minute has passed
    And the project was bound to <other>
    And 2 minutes have passed
    And the project was bound to <adapter>
    And a <phase> run of the issue in which the CLI is rate limited
    When 60 seconds pass
    Then there are 6 runs of the issue
    And the sixth run has succeeded
    And the sixth run did not ask the CLI to resume anything
    And the sixth run is recorded as fresh because of refused

    Examples:
      | adapter     | other       | phase      |
      | opencode    | copilot     | answer     |

    Examples: more combinations
      | adapter     | other       | phase      |
      | claude-code | codex       | ci_fix     |
      | codex       | opencode    | review_fix |
      | copilot     | claude-code | ci_fix     |

  @fallback-20
  Scenario Outline: Runs without a session in between neither count nor break the count
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI is rate limited
    And a development run of the issue in which the CLI is rate limited
    And 1 minute has passed
    And an administrator has set AGENT_SESSION_RESUME to "false" at project scope
    And 2 minutes have passed
    And an administrator has set AGENT_SESSION_RESUME to "true" at project scope
    And a <phase> run of the issue in which the CLI is rate limited
    When 60 seconds pass
    Then there are 6 runs of the issue
    And the sixth run has succeeded
    And the sixth run did not ask the CLI to resume anything
    And the sixth run is recorded as fresh because of refused

    Examples:
      | adapter     | phase      |
      | copilot     | ci_fix     |

    Examples: more combinations
      | adapter     | phase      |
      | claude-code | ci_fix     |
      | codex       | review_fix |
      | opencode    | answer     |

  @fallback-20
  Scenario Outline: A restart of the engine takes nothing from the count
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI has its history rejected
    And a <phase> run of the issue in which the CLI has its history rejected
    And 1 minute has passed
    And the engine was killed and started again
    When 6 minutes pass
    Then there are 5 runs of the issue
    And the fifth run has succeeded
    And the fifth run did not ask the CLI to resume anything
    And the fifth run is recorded as fresh because of refused

    Examples:
      | adapter     | phase       |
      | claude-code | development |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | ci_fix      |
      | opencode    | review_fix  |
      | copilot     | answer      |

  @fallback-20
  Scenario Outline: After a session was given up the new one is resumed
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI has its history rejected
    And a development run of the issue in which the CLI has its history rejected
    And 7 minutes have passed
    When a <phase> run of the issue is due
    Then the sixth run has succeeded
    And the fifth run is recorded as fresh because of refused
    And the sixth run asked the CLI to resume the native id of the fifth run
    And the sixth run is recorded as resumed

    Examples:
      | adapter     | phase               |
      | copilot     | conflict_resolution |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | ci_fix              |
      | codex       | review_fix          |
      | opencode    | answer              |
