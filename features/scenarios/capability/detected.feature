Feature: What is installed decides whether a session can be resumed
  The engine asks each CLI for its version, in the image in which it will run. Only a version that was verified to resume
  may do so; a version that cannot be read may not, and reading it never holds up a run.

  @capability-2
  Scenario Outline: A verified version is recorded as able to resume
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When the engine starts
    Then the installation of <adapter> is recorded as resumable, with its state path
    And the installation of <adapter> is recorded with version <version>

    Examples:
      | adapter     | version         |
      | codex       | 0.122.0         |
      | copilot     | 1.0.100         |

    Examples: more combinations
      | adapter     | version         |
      | claude-code | 1.0.124         |
      | claude-code | 1.0.125         |
      | claude-code | 1.1.0           |
      | claude-code | 2.0.0-rc.1      |
      | claude-code | 10.0.0          |
      | codex       | 0.122.1         |
      | codex       | 0.123.0-alpha.1 |
      | codex       | 0.200.0         |
      | codex       | 1.0.0           |
      | opencode    | 1.15.3          |
      | opencode    | 1.15.10         |
      | opencode    | 1.16.0          |
      | opencode    | 1.100.0         |
      | opencode    | 2.0.0           |
      | copilot     | 1.0.73          |
      | copilot     | 1.0.74          |
      | copilot     | 1.1.0           |
      | copilot     | 2.0.0           |

  @capability-2
  Scenario Outline: Every other version is recorded as unable, whatever the adapter declares
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When the engine starts
    Then the installation of <adapter> is recorded as not resumable, without a state path
    And the installation of <adapter> is recorded with version <version>

    Examples:
      | adapter     | version         |
      | copilot     | 1.0.72          |
      | opencode    | 1.15.2          |

    Examples: more combinations
      | adapter     | version         |
      | claude-code | 1.0.123         |
      | claude-code | 1.0.124-beta.1  |
      | claude-code | 1.0.9           |
      | claude-code | 0.9.900         |
      | codex       | 0.121.9         |
      | codex       | 0.122.0-alpha.1 |
      | codex       | 0.99.0          |
      | codex       | 0.13.100        |
      | opencode    | 1.15.3-rc.1     |
      | opencode    | 1.9.9           |
      | opencode    | 1.3.2           |
      | copilot     | 1.0.73-0        |
      | copilot     | 1.0.9           |
      | copilot     | 0.0.365         |

  @capability-2
  Scenario Outline: The oldest verified version resumes
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | version | phase               |
      | claude-code | 1.0.124 | development         |
      | copilot     | 1.0.73  | conflict_resolution |

    Examples: more combinations
      | adapter     | version | phase               |
      | codex       | 0.122.0 | ci_fix              |
      | opencode    | 1.15.3  | review_fix          |

  # seen in: exospherehost/failproofai#537
  @capability-2
  Scenario Outline: A pre-release of the oldest verified version does not resume
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version

    Examples:
      | adapter     | version         | phase               |
      | codex       | 0.122.0-alpha.1 | conflict_resolution |

    Examples: more combinations
      | adapter     | version         | phase               |
      | claude-code | 1.0.124-beta.1  | review_fix          |
      | opencode    | 1.15.3-rc.1     | answer              |
      | copilot     | 1.0.73-0        | analysis            |

  # seen in: pingdotgg/t3code#404
  @capability-2
  Scenario Outline: A newer version that a notice talks of is not the installed one
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version> and prints it within a banner
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the installation of <adapter> is recorded with version <version>
    And the installation of <adapter> is recorded as not resumable, without a state path
    And the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version

    Examples:
      | adapter     | version | phase               |
      | claude-code | 1.0.123 | ci_fix              |

    Examples: more combinations
      | adapter     | version | phase               |
      | codex       | 0.121.9 | review_fix          |
      | opencode    | 1.15.2  | conflict_resolution |
      | copilot     | 1.0.72  | answer              |

  @capability-2
  Scenario Outline: A banner around a verified version takes nothing from it
    Given an issue served by <adapter>
    And the version command of <adapter> prints a banner around the version
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the installation of <adapter> is recorded as resumable, with its state path
    And the second run has succeeded
    And the second run is recorded as resumed

    Examples:
      | adapter     | phase               |
      | codex       | review_fix          |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | ci_fix              |
      | opencode    | conflict_resolution |
      | copilot     | answer              |

  # seen in: exospherehost/failproofai#537
  @capability-4
  Scenario Outline: A version that cannot be read is one that does not resume, and no run fails for it
    Given an issue served by <adapter>
    And the version command of <adapter> <fault>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the installation of <adapter> is recorded as not resumable, without a state path
    And no version of <adapter> is on record
    And the version command of <adapter> was ended within 10 seconds
    And the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of unsupported_version

    Examples:
      | adapter     | fault          | phase               |
      | claude-code | prints garbage | analysis            |
      | claude-code | exits with 1   | development         |

    Examples: more combinations
      | adapter     | fault          | phase               |
      | claude-code | hangs          | ci_fix              |
      | claude-code | prints nothing | review_fix          |
      | codex       | prints garbage | review_fix          |
      | codex       | exits with 1   | conflict_resolution |
      | codex       | hangs          | answer              |
      | codex       | prints nothing | analysis            |
      | opencode    | prints garbage | analysis            |
      | opencode    | exits with 1   | development         |
      | opencode    | hangs          | ci_fix              |
      | opencode    | prints nothing | review_fix          |
      | copilot     | prints garbage | review_fix          |
      | copilot     | exits with 1   | conflict_resolution |
      | copilot     | hangs          | answer              |
      | copilot     | prints nothing | analysis            |

  @capability-4
  Scenario Outline: A new image whose version cannot be read holds nothing up
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <adapter> was installed whose version command <fault>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of unsupported_version
    And the version command of <adapter> was ended within 10 seconds

    Examples:
      | adapter     | fault          | phase               |
      | claude-code | hangs          | development         |

    Examples: more combinations
      | adapter     | fault          | phase               |
      | codex       | hangs          | ci_fix              |
      | opencode    | exits with 1   | answer              |
      | copilot     | prints garbage | review_fix          |
      | codex       | prints nothing | conflict_resolution |

  @capability-4
  Scenario Outline: One CLI that hangs at its version holds up no other
    Given an issue served by <adapter>
    And the version command of <other> hangs
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the version command of <other> was ended within 10 seconds
    And the installation of <other> is recorded as not resumable, without a state path
    And the installation of <adapter> is recorded as resumable, with its state path
    And the second run has succeeded
    And the second run is recorded as resumed

    Examples:
      | adapter     | other      | phase       |
      | opencode    | copilot    | answer      |

    Examples: more combinations
      | adapter     | other      | phase       |
      | claude-code | codex      | development |
      | codex       | opencode   | ci_fix      |
      | copilot     | grok-build | review_fix  |

  @capability-5
  Scenario Outline: A version older than the one that wrote the session does not resume it
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <version> was installed
    When a <phase> run of the issue is due
    Then the installation of <adapter> is recorded with version <version>
    And the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version
    And no start of the second run was given the native id of the first run

    Examples: every adapter
      | adapter     | version         | phase               |
      | codex       | 0.170.9         | review_fix          |

    Examples: more combinations
      | adapter     | version         | phase               |
      | claude-code | 2.1.196         | development         |
      | claude-code | 2.1.197-rc.1    | ci_fix              |
      | codex       | 0.171.0-alpha.1 | answer              |
      | opencode    | 1.18.9          | conflict_resolution |
      | opencode    | 1.18.33-1       | analysis            |
      | copilot     | 1.0.99          | development         |
      | copilot     | 1.0.102-9       | ci_fix              |

    Examples: more combinations
      | adapter | version | phase               |
      | codex   | 0.144.3 | analysis            |
      | codex   | 0.144.3 | development         |
      | codex   | 0.144.3 | ci_fix              |
      | codex   | 0.144.3 | review_fix          |
      | codex   | 0.144.3 | conflict_resolution |
      | codex   | 0.144.3 | answer              |

  @capability-5
  Scenario Outline: Of two pre-releases the older one does not resume what the newer one wrote
    Given an issue served by codex
    And the codex CLI has version <wrote>
    And an analysis run of the issue has ended
    And a new image of codex with version <installed> was installed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version

    Examples:
      | wrote            | installed       | phase       |
      | 0.200.0-alpha.10 | 0.200.0-alpha.9 | development |

    Examples: more combinations
      | wrote            | installed       | phase       |
      | 0.200.0-beta     | 0.200.0-alpha.9 | ci_fix      |
      | 0.200.0-alpha.1  | 0.200.0-alpha   | answer      |

  @capability-5
  Scenario Outline: An equal or a newer version resumes
    Given an issue served by <adapter>
    And the <adapter> CLI has version <wrote>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <installed> was installed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | wrote           | installed        | phase               |
      | opencode    | 1.15.9          | 1.15.10          | conflict_resolution |

    Examples: more combinations
      | adapter     | wrote           | installed        | phase               |
      | claude-code | 2.1.9           | 2.1.10           | development         |
      | claude-code | 2.1.10          | 2.1.10           | answer              |
      | codex       | 0.122.0         | 0.122.0          | ci_fix              |
      | codex       | 0.200.0-alpha.9 | 0.200.0-alpha.10 | review_fix          |
      | copilot     | 1.0.99          | 1.0.102          | development         |

  @capability-5
  Scenario Outline: The version that last wrote to the session is the one that counts
    Given an issue served by <adapter>
    And the <adapter> CLI has version <first>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <second> was installed
    And a development run of the issue has ended
    And a new image of <adapter> with version <third> was installed
    When a <phase> run of the issue is due
    Then the second run is recorded as resumed
    And the third run has succeeded
    And the third run is recorded as fresh because of unsupported_version

    Examples:
      | adapter     | first   | second  | third   | phase      |
      | copilot     | 1.0.73  | 1.0.102 | 1.0.80  | ci_fix     |

    Examples: more combinations
      | adapter     | first   | second  | third   | phase      |
      | claude-code | 2.1.10  | 2.1.20  | 2.1.15  | ci_fix     |
      | codex       | 0.122.0 | 0.171.0 | 0.150.0 | review_fix |
      | opencode    | 1.15.3  | 1.18.33 | 1.16.0  | answer     |

  @capability-5
  Scenario Outline: An older version resumes the session that it made itself after a fallback
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <older> was installed
    And a development run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run is recorded as fresh because of unsupported_version
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed

    Examples:
      | adapter     | older   | phase      |
      | codex       | 0.150.0 | review_fix |

    Examples: more combinations
      | adapter     | older   | phase      |
      | claude-code | 2.1.100 | ci_fix     |
      | opencode    | 1.16.0  | answer     |
      | copilot     | 1.0.80  | ci_fix     |

  @capability-5
  Scenario Outline: Where the version that wrote the session is unknown, nothing is compared
    Given an issue served by <adapter>
    And the version command of <adapter> <fault>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <version> was installed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | fault          | version | phase       |
      | copilot     | prints nothing | 1.0.102 | review_fix  |

    Examples: more combinations
      | adapter     | fault          | version | phase       |
      | claude-code | hangs          | 2.1.197 | development |
      | codex       | prints garbage | 0.171.0 | ci_fix      |
      | opencode    | exits with 1   | 1.18.33 | answer      |

  # seen in: exospherehost/failproofai#537
  @capability-7
  Scenario Outline: A verified version in a new image resumes at once
    Given an issue served by <adapter>
    And the <adapter> CLI has version <old>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And a new image of <adapter> with version <new> was installed
    When a <phase> run of the issue is due
    Then the second run is recorded as fresh because of unsupported_version
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed
    And the version command of <adapter> had been run in the image of the third run before that run started
    And the images of <adapter> are recorded with versions <old> and <new>

    Examples:
      | adapter     | old     | new     | phase               |
      | opencode    | 1.15.2  | 1.15.3  | conflict_resolution |

    Examples: more combinations
      | adapter     | old     | new     | phase               |
      | claude-code | 1.0.123 | 1.0.124 | ci_fix              |
      | codex       | 0.121.9 | 0.122.0 | review_fix          |
      | copilot     | 1.0.72  | 1.0.73  | answer              |

  @capability-7
  Scenario Outline: An unverified version in a new image does not resume any more
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <new> was installed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of unsupported_version
    And the version command of <adapter> had been run in the image of the second run before that run started

    Examples: every adapter
      | adapter     | new     | phase               |
      | copilot     | 1.0.72  | conflict_resolution |

    Examples: more combinations
      | adapter     | new     | phase               |
      | claude-code | 1.0.123 | development         |
      | codex       | 0.121.9 | ci_fix              |
      | opencode    | 1.15.2  | review_fix          |

    Examples: more combinations
      | adapter | new    | phase               |
      | copilot | 1.0.24 | analysis            |
      | copilot | 1.0.24 | development         |
      | copilot | 1.0.24 | ci_fix              |
      | copilot | 1.0.24 | review_fix          |
      | copilot | 1.0.24 | conflict_resolution |
      | copilot | 1.0.24 | answer              |

  @capability-7
  Scenario Outline: What was detected in an image holds for that adapter alone
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <other> with version <version> was installed
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | other       | version | phase       |
      | codex       | opencode    | 1.3.2   | ci_fix      |

    Examples: more combinations
      | adapter     | other       | version | phase       |
      | claude-code | codex       | 0.100.0 | development |
      | opencode    | copilot     | 1.0.24  | answer      |
      | copilot     | claude-code | 1.0.100 | review_fix  |

  @capability-7
  Scenario Outline: A new image is known also after the engine was killed
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a new image of <adapter> with version <new> was installed
    And the engine was killed and started again
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version

    Examples:
      | adapter     | new     | phase               |
      | opencode    | 1.15.2  | analysis            |

    Examples: more combinations
      | adapter     | new     | phase               |
      | claude-code | 1.0.123 | conflict_resolution |
      | codex       | 0.121.9 | answer              |
      | copilot     | 1.0.72  | development         |
