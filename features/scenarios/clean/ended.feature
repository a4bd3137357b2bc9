Feature: When an issue ends, what was kept for it is removed
  An issue ends when its merge request is merged, when the agent is taken off it or it is closed, or when the tracker
  says that there is no such issue. From then on nothing of its sessions is kept, of whichever CLI.

  # seen in: agent-orchestrator#3402, agent-of-empires#3816
  Scenario Outline: The state of every CLI that the issue used is removed, together with the worktrees
    Given an issue served by <first>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And the project was bound to <second>
    And a review_fix run of the issue has ended
    When the issue is <end>
    Then nothing of the state of the issue is left
    And no worktree of the issue is left
    And what was noted of the other issue is as it was, and nothing is added

    @clean-1
    Examples: done
      | first       | second      | end             |
      | claude-code | codex       | closed by merge |

    @clean-2
    Examples: cancelled
      | first       | second      | end                    |
      | codex       | opencode    | unassigned             |

    @clean-3
    Examples: gone from the tracker
      | first       | second      | end                      |
      | opencode    | copilot     | deleted from the tracker |

    @clean-1
    Examples: more combinations
      | first       | second      | end             |
      | codex       | opencode    | closed by merge |
      | opencode    | copilot     | closed by merge |
      | copilot     | claude-code | closed by merge |

    @clean-2
    Examples: more combinations
      | first       | second      | end                    |
      | claude-code | codex       | unassigned             |
      | opencode    | copilot     | unassigned             |
      | copilot     | claude-code | unassigned             |
      | claude-code | codex       | closed without a merge |
      | codex       | opencode    | closed without a merge |
      | opencode    | copilot     | closed without a merge |
      | copilot     | claude-code | closed without a merge |

    @clean-3
    Examples: more combinations
      | first       | second      | end                      |
      | claude-code | codex       | deleted from the tracker |
      | codex       | opencode    | deleted from the tracker |
      | copilot     | claude-code | deleted from the tracker |

  Scenario Outline: A run that is live when the issue ends is cancelled, and its state and worktree go as well
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    When the issue is <end>
    Then the first run has cancelled
    And nothing of the state of the issue is left
    And no worktree of the issue is left

    @clean-1
    Examples: done
      | adapter     | end             |
      | claude-code | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter     | end                    |
      | opencode    | closed without a merge |

    @clean-3
    Examples: gone from the tracker
      | adapter     | end                      |
      | claude-code | deleted from the tracker |

    @clean-1
    Examples: more combinations
      | adapter     | end             |
      | opencode    | closed by merge |

    @clean-2
    Examples: more combinations
      | adapter     | end                    |
      | claude-code | unassigned             |
      | opencode    | unassigned             |
      | claude-code | closed without a merge |

    @clean-3
    Examples: more combinations
      | adapter     | end                      |
      | opencode    | deleted from the tracker |

  Scenario Outline: A blocked issue that ends is cleaned up like any other
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the issue is blocked
    When the issue is <end>
    Then nothing of the state of the issue is left

    @clean-1
    Examples: done
      | adapter | end             |
      | codex   | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter | end                    |
      | codex   | unassigned             |

    @clean-3
    Examples: gone from the tracker
      | adapter | end                      |
      | codex   | deleted from the tracker |

    @clean-2
    Examples: more combinations
      | adapter | end                    |
      | codex   | closed without a merge |

  Scenario Outline: An issue that ends after a restart of the engine is cleaned up like any other
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the engine was killed and started again
    When the issue is <end>
    Then nothing of the state of the issue is left

    @clean-1
    Examples: done
      | adapter | end             |
      | copilot | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter | end                    |
      | copilot | unassigned             |

    @clean-3
    Examples: gone from the tracker
      | adapter | end                      |
      | copilot | deleted from the tracker |

    @clean-2
    Examples: more combinations
      | adapter | end                    |
      | copilot | closed without a merge |

  Scenario Outline: An issue that ends after the engine died in the middle of a run is cleaned up, run and all
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    And the engine was killed and started again
    When the issue is <end>
    Then nothing of the state of the issue is left
    And no worktree of the issue is left
    And the container of the first run was stopped

    @clean-1
    Examples: done
      | adapter  | end             |
      | opencode | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter  | end                    |
      | opencode | closed without a merge |

    @clean-3
    Examples: gone from the tracker
      | adapter  | end                      |
      | opencode | deleted from the tracker |

    @clean-2
    Examples: more combinations
      | adapter  | end                    |
      | opencode | unassigned             |

  Scenario Outline: An issue whose runs have all failed is cleaned up like any other
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI is killed after naming the session
    When the issue is <end>
    Then nothing of the state of the issue is left
    And no worktree of the issue is left

    @clean-1
    Examples: done
      | adapter     | end             |
      | claude-code | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter     | end                    |
      | claude-code | unassigned             |

    @clean-3
    Examples: gone from the tracker
      | adapter     | end                      |
      | claude-code | deleted from the tracker |

    @clean-2
    Examples: more combinations
      | adapter     | end                    |
      | claude-code | closed without a merge |

  Scenario Outline: Of several issues that end, one after the other, each is cleaned up
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    When the issue is <end>
    And the other issue is <end>
    Then nothing of the state of the issue is left
    And nothing of the state of the other issue is left
    And no worktree of the other issue is left

    @clean-1
    Examples: done
      | adapter  | end             |
      | opencode | closed by merge |

    @clean-2
    Examples: cancelled
      | adapter | end                    |
      | copilot | unassigned             |

    @clean-3
    Examples: gone from the tracker
      | adapter | end                      |
      | codex   | deleted from the tracker |

    @clean-2
    Examples: more combinations
      | adapter | end                    |
      | copilot | closed without a merge |

  @clean-3
  Scenario: Several issues that one sweep finds gone are all cleaned up
    Given an issue served by claude-code
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the tracker answers 404 for the issue
    And the tracker answers 404 for the other issue
    When the reconciler sweeps
    Then nothing of the state of the issue is left
    And nothing of the state of the other issue is left
    And the issue is in the state orphaned
    And the other issue is in the state orphaned

  @clean-3
  Scenario Outline: An issue that the sweep finds gone is cleaned up, and no other
    Given an issue served by <first>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And the project was bound to <second>
    And a review_fix run of the issue has ended
    And the tracker answers 404 for the issue
    When the reconciler sweeps
    Then nothing of the state of the issue is left
    And no worktree of the issue is left
    And the issue is in the state orphaned
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | first       | second      |
      | copilot     | claude-code |

    Examples: more combinations
      | first       | second      |
      | claude-code | codex       |
      | codex       | opencode    |
      | opencode    | copilot     |

  # seen in: xintaofei/codeg#714, kdlbs/kandev#2041
  @clean-13
  Scenario Outline: A reopened issue begins with nothing
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And the issue was <end>
    And the issue was reopened
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run did not ask the CLI to resume anything
    And the session of the third run remembers nothing
    And the third run is recorded as fresh because of no_prior_session
    And the CLI was started 1 time in the third run

    Examples:
      | adapter     | end                    | phase       |
      | copilot     | unassigned             | development |

    Examples: more combinations
      | adapter     | end                    | phase       |
      | claude-code | closed by merge        | analysis    |
      | claude-code | unassigned             | development |
      | claude-code | closed without a merge | answer      |
      | codex       | closed by merge        | analysis    |
      | codex       | unassigned             | development |
      | codex       | closed without a merge | answer      |
      | opencode    | closed by merge        | analysis    |
      | opencode    | unassigned             | development |
      | opencode    | closed without a merge | answer      |
      | copilot     | closed by merge        | analysis    |
      | copilot     | closed without a merge | answer      |

  # seen in: xintaofei/codeg#714, kdlbs/kandev#2041
  @clean-13
  Scenario Outline: A reopened issue begins with nothing, even where its old state could not be removed
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state directory of the issue cannot be removed
    And the issue was <end>
    And the issue was reopened
    When a development run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the session of the second run remembers nothing
    And the second run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | end                    |
      | codex       | unassigned             |

    Examples: more combinations
      | adapter     | end                    |
      | claude-code | closed by merge        |
      | opencode    | closed without a merge |
      | copilot     | closed by merge        |

  @clean-13
  Scenario Outline: A reopened issue resumes the session that it has had since
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the issue was closed by merge
    And the issue was reopened
    And an analysis run of the issue has ended
    And the reconciler has swept
    When a development run of the issue is due
    Then the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed
    And the first and the second run have different native ids on record

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @clean-13
  Scenario: A reopened issue has a name of its own, from the title of that time
    Given issue 7 served by claude-code, titled "Old title"
    And a development run of the issue has ended
    And the issue was closed by merge
    And the issue was retitled to "New title"
    And the issue was reopened
    When an analysis run of the issue is due
    Then the name of the issue is "agent/issue-7-new-title"
    And the second run is recorded as fresh because of no_prior_session
