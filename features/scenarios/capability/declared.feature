Feature: Each adapter declares what its CLI can do about sessions
  Four adapters say that their CLI can resume, and where in the container it keeps its sessions and nothing else. The
  fifth says that it cannot, until a version of its CLI has been verified.

  @capability-1
  Scenario: Every adapter has a state path exactly where it can resume
    Given an issue served by codex
    When the engine starts
    Then every adapter is recorded with a state path exactly where it is recorded as resumable

  @capability-6
  Scenario Outline: Four adapters resume by their own option, from their own directory
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the installation of <adapter> is recorded as resumable, with its state path
    And the first run mounts exactly its own state directory, read-write, at the session state path
    And the second run mounts exactly its own state directory, read-write, at the session state path
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | opencode    | answer      |
      | copilot     | review_fix  |

  @capability-6
  Scenario Outline: What an adapter declares gives a run its session, also where the installed version cannot resume
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the first run is recorded as fresh because of no_prior_session
    And the first run has the name of the issue's branch on record
    And the first run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | version | phase       |
      | opencode    | 1.3.2   | answer      |

    Examples: more combinations
      | adapter     | version | phase       |
      | claude-code | 1.0.100 | analysis    |
      | codex       | 0.100.0 | development |
      | copilot     | 1.0.24  | analysis    |

  @capability-3
  Scenario Outline: grok-build declares nothing, whatever version is installed
    Given an issue served by grok-build
    And the grok-build CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the installation of grok-build is recorded as not resumable, without a state path
    And the second run of the issue has succeeded
    And the first run of the issue has no session on record
    And the second run of the issue has no session on record
    And the second run of the issue mounts nothing of any session
    And the second run of the issue did not ask the CLI to resume anything

    Examples:
      | version | phase               |
      | 0.1.0   | analysis            |
      | 9.9.9   | review_fix          |

    Examples: more combinations
      | version | phase               |
      | 0.1.0   | development         |
      | 1.0.0   | ci_fix              |
      | 99.0.0  | conflict_resolution |
      | 2.1.197 | answer              |
