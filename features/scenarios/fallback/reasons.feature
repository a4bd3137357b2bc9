Feature: A run whose session cannot be resumed goes on in a fresh one, with its reason on record
  Sometimes there is nothing to resume: it is the issue's first run, another CLI has taken over, the memory is gone, the
  installed CLI is too old, or the CLI refuses. Then the run is done all the same, in a new session under the same name,
  and its row says which of the five reasons it was.

  @fallback-2
  Scenario Outline: The first run of an issue has no prior session, whatever it is for
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the first run did not ask the CLI to resume anything
    And the first run is recorded as fresh because of no_prior_session

    Examples: every adapter
      | adapter     | phase       |
      | claude-code | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | analysis    |
      | opencode    | analysis    |
      | copilot     | analysis    |
      | claude-code | answer      |
      | opencode    | development |
      | copilot     | review_fix  |

    Examples: more combinations
      | adapter | phase               |
      | codex   | development         |
      | codex   | ci_fix              |
      | codex   | review_fix          |
      | codex   | conflict_resolution |
      | codex   | answer              |

  @fallback-2
  Scenario Outline: The first run after the setting was turned on has no prior session, though others came before
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at <scope> scope
    And an analysis run of the issue has ended
    And an administrator has set AGENT_SESSION_RESUME to "true" at <scope> scope
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | scope        | phase       |
      | opencode    | project      | ci_fix      |

    Examples: more combinations
      | adapter     | scope        | phase       |
      | claude-code | project      | development |
      | codex       | organization | answer      |
      | copilot     | organization | review_fix  |

  @fallback-2
  Scenario Outline: The first run to which a session applies has no prior session, though another agent came before
    Given an issue served by <before>
    And an analysis run of the issue has ended
    And the project was bound to <adapter>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session

    Examples:
      | before     | adapter     | phase       |
      | api        | claude-code | development |

    Examples: more combinations
      | before     | adapter     | phase       |
      | grok-build | codex       | ci_fix      |
      | api        | opencode    | answer      |
      | grok-build | copilot     | development |

  @fallback-2
  Scenario Outline: Each issue of a project has a first run of its own
    Given an issue served by <adapter>
    And another issue of the same project
    And an analysis run of the issue has ended
    When a <phase> run of the other issue is due
    Then the first run of the other issue has succeeded
    And the first run of the other issue did not ask the CLI to resume anything
    And the first run of the other issue is recorded as fresh because of no_prior_session

    Examples:
      | adapter | phase    |
      | copilot | analysis |

    Examples: more combinations
      | adapter     | phase    |
      | claude-code | answer   |
      | codex       | analysis |
      | opencode    | answer   |

  # seen in: patrickdappollonio/dux#183
  # seen in: ai-daming/clickvibe#29
  @fallback-3
  Scenario Outline: After another adapter's runs the session is a new one, and no id of the other reaches the CLI
    Given an issue served by <before>
    And an analysis run of the issue has ended
    And the project was bound to <adapter>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of adapter_changed
    And the second run did not ask the CLI to resume anything
    And no start of the second run was given the native id of the first run
    And the session of the second run remembers nothing
    And the second run mounts exactly its own state directory, read-write, at the session state path

    Examples: every pair
      | before      | adapter     | phase               |
      | copilot     | codex       | answer              |

    Examples: more combinations
      | before      | adapter     | phase               |
      | claude-code | codex       | development         |
      | claude-code | opencode    | ci_fix              |
      | claude-code | copilot     | review_fix          |
      | codex       | claude-code | conflict_resolution |
      | codex       | opencode    | answer              |
      | codex       | copilot     | analysis            |
      | opencode    | claude-code | development         |
      | opencode    | codex       | ci_fix              |
      | opencode    | copilot     | review_fix          |
      | copilot     | claude-code | conflict_resolution |
      | copilot     | opencode    | analysis            |

    Examples: more combinations
      | before  | adapter     | phase       |
      | copilot | claude-code | analysis    |
      | copilot | claude-code | development |
      | copilot | claude-code | ci_fix      |
      | copilot | claude-code | review_fix  |
      | copilot | claude-code | answer      |

  @fallback-3
  Scenario Outline: A phase that is bound to another adapter does not get the session of the other phases
    Given an issue served by <before>
    And the <phase> phase is served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of adapter_changed
    And no start of the second run was given the native id of the first run

    Examples:
      | before      | adapter     | phase       |
      | copilot     | opencode    | answer      |

    Examples: more combinations
      | before      | adapter     | phase       |
      | claude-code | codex       | development |
      | codex       | copilot     | ci_fix      |
      | opencode    | claude-code | review_fix  |

  @fallback-3
  Scenario Outline: An adapter that comes back resumes its own session, and nothing has changed for it
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the project was bound to <other>
    And a development run of the issue has ended
    And the project was bound to <adapter>
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     | other       | phase               |
      | opencode    | copilot     | conflict_resolution |

    Examples: more combinations
      | adapter     | other       | phase               |
      | claude-code | codex       | ci_fix              |
      | codex       | claude-code | review_fix          |
      | copilot     | opencode    | answer              |

  # seen in: generalaction/emdash#1229
  # seen in: avibe-bot/avibe#207
  @fallback-4
  Scenario Outline: Where the state directory is gone or empty, the run is fresh because the state is missing
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <loss>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of state_missing
    And the session of the second run remembers nothing

    Examples: every adapter and every loss
      | adapter     | loss                                                  | phase       |
      | codex       | the state directory of the issue was emptied          | review_fix  |
      | claude-code | only empty folders are left of the state of the issue | review_fix  |
      | opencode    | the state directory of the issue was removed          | review_fix  |

    Examples: more combinations
      | adapter     | loss                                                  | phase       |
      | claude-code | the state directory of the issue was removed          | development |
      | codex       | the state directory of the issue was removed          | ci_fix      |
      | copilot     | the state directory of the issue was removed          | answer      |
      | claude-code | the state directory of the issue was emptied          | ci_fix      |
      | opencode    | the state directory of the issue was emptied          | answer      |
      | copilot     | the state directory of the issue was emptied          | development |
      | claude-code | the whole session directory of the issue was removed  | answer      |
      | codex       | the whole session directory of the issue was removed  | development |
      | opencode    | the whole session directory of the issue was removed  | ci_fix      |
      | copilot     | the whole session directory of the issue was removed  | review_fix  |
      | codex       | only empty folders are left of the state of the issue | answer      |
      | opencode    | only empty folders are left of the state of the issue | development |
      | copilot     | only empty folders are left of the state of the issue | ci_fix      |

    Examples: more combinations
      | adapter     | loss                                         | phase               |
      | claude-code | the state directory of the issue was removed | analysis            |
      | claude-code | the state directory of the issue was removed | ci_fix              |
      | claude-code | the state directory of the issue was removed | review_fix          |
      | claude-code | the state directory of the issue was removed | conflict_resolution |
      | claude-code | the state directory of the issue was removed | answer              |

  # seen in: generalaction/emdash#1229
  @fallback-4
  Scenario Outline: State that was there for one run can be gone for the next
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And <loss>
    When a <phase> run of the issue is due
    Then the second run is recorded as resumed
    And the third run has succeeded
    And the third run is recorded as fresh because of state_missing
    And the session of the third run remembers nothing

    Examples:
      | adapter | loss                                         | phase  |
      | copilot | the state directory of the issue was emptied | ci_fix |

    Examples: more combinations
      | adapter     | loss                                                  | phase      |
      | claude-code | the state directory of the issue was removed          | review_fix |
      | codex       | only empty folders are left of the state of the issue | answer     |
      | opencode    | the whole session directory of the issue was removed  | ci_fix     |

  @isolate-9
  Scenario Outline: A link to another issue's state is not taken for state of one's own
    Given an issue served by <adapter>
    And another issue of the same project
    And an analysis run of the issue has ended
    And an analysis run of the other issue has ended
    And only a link to the state of the other issue is left of the state of the issue
    When a development run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of state_missing
    And the second run did not ask the CLI to resume anything

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  # seen in: exospherehost/failproofai#537
  @fallback-5
  Scenario Outline: A version that was not verified to resume starts afresh, with its session's name and directory
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the first run is recorded as fresh because of no_prior_session
    And the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version
    And the session of the second run remembers nothing
    And the second run has the name of the issue's branch on record
    And the second run mounts exactly its own state directory, read-write, at the session state path

    Examples: every adapter
      | adapter     | version | phase       |
      | codex       | 0.121.0 | ci_fix      |

    Examples: a version that is newer only where versions are compared as text
      | adapter  | version | phase       |
      | opencode | 1.3.2   | development |

    Examples: more combinations
      | adapter     | version | phase       |
      | claude-code | 1.0.123 | development |
      | opencode    | 1.15.2  | review_fix  |
      | copilot     | 1.0.72  | answer      |

    Examples: more combinations
      | adapter  | version | phase               |
      | opencode | 1.3.2   | analysis            |
      | opencode | 1.3.2   | ci_fix              |
      | opencode | 1.3.2   | review_fix          |
      | opencode | 1.3.2   | conflict_resolution |
      | opencode | 1.3.2   | answer              |

  @fallback-1
  Scenario Outline: Whatever the reason, the run goes on afresh under the same name and says why
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of <reason>
    And the session of the second run remembers nothing
    And the second run has the name of the issue's branch on record
    And every run of the issue has the same name on record

    Examples:
      | adapter     | cause                                         | phase       | reason          |
      | claude-code | at its next start the CLI refuses the session | development | refused         |
      | opencode    | the state directory of the issue was removed  | development | state_missing   |
      | codex       | the project was bound to opencode             | ci_fix      | adapter_changed |

    Examples: more combinations
      | adapter     | cause                                         | phase               | reason          |
      | codex       | at its next start the CLI refuses the session | ci_fix              | refused         |
      | opencode    | at its next start the CLI refuses the session | answer              | refused         |
      | copilot     | at its next start the CLI refuses the session | review_fix          | refused         |
      | claude-code | the state directory of the issue was removed  | conflict_resolution | state_missing   |
      | codex       | the state directory of the issue was emptied  | answer              | state_missing   |
      | copilot     | the state directory of the issue was emptied  | analysis            | state_missing   |
      | claude-code | the project was bound to codex                | review_fix          | adapter_changed |
      | opencode    | the project was bound to copilot              | answer              | adapter_changed |
      | copilot     | the project was bound to claude-code          | development         | adapter_changed |

  @fallback-1 @fallback-5
  Scenario Outline: Every run with an unfit version goes on afresh under the same name and says so
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the second run is recorded as fresh because of unsupported_version
    And the third run is recorded as fresh because of unsupported_version
    And the session of the third run remembers nothing
    And every run of the issue has the same name on record

    Examples:
      | adapter     | version | phase               |
      | copilot     | 1.0.24  | answer              |

    Examples: more combinations
      | adapter     | version | phase               |
      | claude-code | 1.0.100 | ci_fix              |
      | codex       | 0.100.0 | review_fix          |
      | opencode    | 1.3.2   | conflict_resolution |

  @fallback-1
  Scenario Outline: A fallback keeps its reason where the fresh session then fails for one of its own
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <failure>
    When a <phase> run of the issue is due
    Then the second run has failed
    And the second run is recorded as fresh because of refused

    Examples:
      | adapter     | failure                             | phase       |
      | opencode    | fails with a general error          | review_fix  |

    Examples: more combinations
      | adapter     | failure                             | phase       |
      | claude-code | is rate limited                     | development |
      | codex       | gets a server error                 | ci_fix      |
      | copilot     | is killed before naming the session | answer      |
