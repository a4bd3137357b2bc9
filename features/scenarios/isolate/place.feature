Feature: The state of a session has one place on the host, which outlives every run
  What a CLI remembers of an issue lies in one directory for each issue and each CLI, outside of every working copy.
  It is mounted into every run of the issue, it stays when the run's container and working copy go, and nobody but the
  CLI writes into it.

  @isolate-1
  Scenario Outline: The state directory is named after organization, project, issue and adapter, whatever runs first
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the state directory of <adapter> is named after organization, project, issue and adapter
    And the first run of the issue mounts the state directory of its plain name
    And the state directory of the issue is kept

    Examples:
      | adapter     | phase       |
      | claude-code | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | analysis    |
      | codex       | development |
      | opencode    | analysis    |
      | opencode    | development |
      | copilot     | analysis    |
      | copilot     | development |

  @isolate-1
  Scenario Outline: Names that are plain are taken as they are
    Given issue <iid> of organization "<organization>" and project "<project>", served by codex
    When an analysis run of the issue is due
    Then the first run of the issue mounts the state directory of its plain name

    Examples:
      | iid    | organization                                                                               | project                                                                                    |
      | 123456 | Acme_Corp                                                                                  | Shop.v2                                                                                    |

    Examples: more combinations
      | iid    | organization                                                                               | project                                                                                    |
      | 1      | acme                                                                                       | shop                                                                                       |
      | 42     | a-b                                                                                        | c-d-e                                                                                      |
      | 7      | _x                                                                                         | y.                                                                                         |
      | 9      | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy |

  @isolate-1 @isolate-2
  Scenario Outline: Two CLIs of one issue have two directories beside each other, and each run mounts its own
    Given an issue served by <first>
    And an analysis run of the issue has ended
    And the project was bound to <second>
    And a development run of the issue has ended
    And the project was bound to <first>
    When a review_fix run of the issue is due
    Then the first run mounts exactly its own state directory, read-write, at the session state path
    And the second run mounts exactly its own state directory, read-write, at the session state path
    And the third run mounts exactly its own state directory, read-write, at the session state path
    And the state of <first> is kept for the issue
    And the state of <second> is kept for the issue

    Examples:
      | first       | second      |
      | claude-code | codex       |

    Examples: more combinations
      | first       | second      |
      | codex       | opencode    |
      | opencode    | copilot     |
      | copilot     | claude-code |

  # seen in: bytedance/deer-flow#3520, bytedance/deer-flow#3521, agent-of-empires#3816, anomalyco/opencode#4193
  @isolate-2
  Scenario Outline: Every phase has exactly one session mount, read-write, whether it begins or resumes the session
    Given an issue served by <adapter>
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the first run mounts exactly its own state directory, read-write, at the session state path
    And the second run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | phase               |
      | claude-code | answer              |
      | codex       | analysis            |
      | codex       | development         |
      | opencode    | ci_fix              |
      | opencode    | conflict_resolution |
      | copilot     | review_fix          |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | codex       | ci_fix              |
      | codex       | review_fix          |
      | codex       | conflict_resolution |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | opencode    | review_fix          |
      | opencode    | answer              |
      | copilot     | analysis            |
      | copilot     | development         |
      | copilot     | ci_fix              |
      | copilot     | conflict_resolution |
      | copilot     | answer              |

  @isolate-2
  Scenario Outline: Both starts of a run whose session was refused have the same one session mount
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the CLI refuses the session
    When a review_fix run of the issue is due
    Then the CLI was started 2 times in the second run
    And the second run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @isolate-2
  Scenario Outline: A CLI that is too old to resume has its session mount all the same
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the first run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | version |
      | opencode    | 1.15.2  |

    Examples: more combinations
      | adapter     | version |
      | claude-code | 1.0.100 |
      | codex       | 0.121.0 |
      | copilot     | 1.0.72  |

  @isolate-6
  Scenario Outline: However a run ends, its container and worktree go and the session stays
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <does>
    When a development run of the issue is due
    And 31 minutes pass
    Then the second run has <outcome>
    And container and worktree of the second run are gone
    And the state directory of the issue is kept
    And the last run asked the CLI to resume the native id of the first run
    And the session of the last run remembers the prompt of the first run

    Examples:
      | adapter     | does                               | outcome   |
      | claude-code | answers                            | succeeded |
      | claude-code | is rate limited                    | failed    |
      | codex       | hangs after naming the session     | timed_out |

    Examples: more combinations
      | adapter     | does                               | outcome   |
      | claude-code | is killed after naming the session | failed    |
      | claude-code | fails with a general error         | failed    |
      | claude-code | hangs after naming the session     | timed_out |
      | codex       | answers                            | succeeded |
      | codex       | is rate limited                    | failed    |
      | codex       | is killed after naming the session | failed    |
      | codex       | fails with a general error         | failed    |
      | opencode    | answers                            | succeeded |
      | opencode    | is rate limited                    | failed    |
      | opencode    | is killed after naming the session | failed    |
      | opencode    | fails with a general error         | failed    |
      | opencode    | hangs after naming the session     | timed_out |
      | copilot     | answers                            | succeeded |
      | copilot     | is rate limited                    | failed    |
      | copilot     | is killed after naming the session | failed    |
      | copilot     | fails with a general error         | failed    |
      | copilot     | hangs after naming the session     | timed_out |

  @isolate-6
  Scenario Outline: A run that fell back leaves no container of either start, and the state stays
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And at its next start the CLI refuses the session
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And container and worktree of the second run are gone
    And what was noted of the issue is as it was

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @isolate-6
  Scenario Outline: A run whose lease was reclaimed leaves neither container nor worktree, and the state stays
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI hangs after naming the session
    When the lease of the issue expires
    Then the second run has abandoned
    And container and worktree of the second run are gone
    And the state directory of the issue is kept

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @isolate-11
  Scenario Outline: Session directories are for their owner alone from the moment a run starts
    Given an issue served by <adapter>
    And at its next start the CLI hangs before naming the session
    When an analysis run of the issue is due
    Then the first run is live
    And the state directory of the issue is for its owner alone

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @isolate-11
  Scenario Outline: A mode that was changed is set again before the next run mounts the directory
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state directory of the issue was opened to everybody
    And at its next start the CLI hangs before naming the session
    When a review_fix run of the issue is due
    Then the second run is live
    And the state directory of the issue is for its owner alone

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @isolate-11
  Scenario: The directory of a second CLI is for its owner alone as well
    Given an issue served by claude-code
    And a development run of the issue has ended
    And the project was bound to codex
    When a review_fix run of the issue is due
    Then the whole state of the issue is for its owner alone

  @isolate-13
  Scenario Outline: Where the CLI saves nothing, the state directory stays empty
    Given an issue served by <adapter>
    And at its next start the CLI <does>
    When a development run of the issue is due
    Then the first run has failed
    And the state directory of the issue is a real one, without any file

    Examples:
      | adapter     | does                                |
      | codex       | is killed before naming the session |

    Examples: more combinations
      | adapter     | does                                |
      | claude-code | is killed before naming the session |
      | claude-code | refuses its arguments               |
      | codex       | refuses its arguments               |
      | opencode    | is killed before naming the session |
      | opencode    | refuses its arguments               |
      | copilot     | is killed before naming the session |
      | copilot     | refuses its arguments               |

  @isolate-13
  Scenario Outline: Nothing that the engine does between two runs changes a file of the session
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And the issue was retitled to "Something else"
    And AGENT_SESSION_RESUME is false at project scope
    And a ci_fix run of the issue has ended
    And AGENT_SESSION_RESUME is true at project scope
    And the project was bound to <other>
    And the issue is blocked
    And 31 days have passed
    And the engine was killed and started again
    When the reconciler sweeps
    Then what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     | other       |
      | codex       | opencode    |

    Examples: more combinations
      | adapter     | other       |
      | claude-code | codex       |
      | opencode    | copilot     |
      | copilot     | claude-code |

  @isolate-13
  Scenario Outline: A damaged session that the CLI refuses is neither repaired nor moved out of the way
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And every session file of the issue was <damage>
    And the state of the issue is noted in every detail
    And at its next start the CLI finds the session damaged
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of refused
    And what was noted of the issue is as it was

    Examples:
      | adapter     | damage                      |
      | opencode    | cut off in its first line   |

    Examples: more combinations
      | adapter     | damage                      |
      | claude-code | cut off in its first line   |
      | claude-code | overwritten with zero bytes |
      | codex       | cut off in its first line   |
      | codex       | overwritten with zero bytes |
      | opencode    | overwritten with zero bytes |
      | copilot     | cut off in its first line   |
      | copilot     | overwritten with zero bytes |

  @isolate-13
  Scenario Outline: A session that a CLI which is too old may not resume is left as it is
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And a new image of <adapter> with version <version> was installed
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of unsupported_version
    And what was noted of the issue is as it was

    Examples:
      | adapter     | version |
      | claude-code | 1.0.100 |

    Examples: more combinations
      | adapter     | version |
      | codex       | 0.121.0 |
      | opencode    | 1.15.2  |
      | copilot     | 1.0.72  |
