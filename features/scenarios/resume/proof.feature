Feature: Nothing counts as resumed that the CLI did not confirm
  A CLI can answer a resume with the session that was asked for, with another one, with none, or with several, and end
  well or badly. Only what it named proves anything.

  # seen in: OpenHands/software-agent-sdk#5094, Archon#1842, openclaw#70177
  @resume-11
  Scenario Outline: The asked id alone, at a good end, is a resume
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI answers
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run is recorded as resumed
    And the first and the second run have the same native id on record

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  # seen in: OpenHands/software-agent-sdk#5094, Archon#1842, openclaw#70177
  @resume-11
  Scenario Outline: The asked id alone, at a bad end, is a resume as well
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <behaves>
    When a development run of the issue is due
    Then the second run has failed
    And the CLI was started 1 time in the second run
    And the second run is recorded as resumed
    And the first and the second run have the same native id on record

    Examples:
      | adapter     | behaves                            |
      | claude-code | has its history rejected           |

    Examples: more combinations
      | adapter     | behaves                            |
      | claude-code | gets a server error                |
      | claude-code | is killed after naming the session |
      | codex       | gets a server error                |
      | codex       | has its history rejected           |
      | codex       | is killed after naming the session |
      | opencode    | gets a server error                |
      | opencode    | has its history rejected           |
      | opencode    | is killed after naming the session |
      | copilot     | gets a server error                |
      | copilot     | has its history rejected           |

  # seen in: OpenHands/software-agent-sdk#2869, Archon#1842, the-open-engine/zeroshot#811
  @resume-11
  Scenario Outline: Another id, from a CLI that keeps its ids, is no resume
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI starts a session of its own
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run is recorded as fresh because of refused
    And the native id on record for the second run is the one of the session that the CLI served
    And the first and the second run have different native ids on record

    Examples:
      | adapter  |
      | codex    |

    Examples: more combinations
      | adapter  |
      | opencode |
      | copilot  |

  # seen in: OpenHands/software-agent-sdk#2869, Archon#1842, the-open-engine/zeroshot#811
  @resume-11
  Scenario: One new id, from a CLI that changes its ids, is a resume
    Given an issue served by claude-code
    And an analysis run of the issue has ended
    And at its next start the CLI resumes under a new id
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run is recorded as resumed
    And the native id on record for the second run is the one of the session that the CLI served
    And the first and the second run have different native ids on record

  # seen in: OpenHands/software-agent-sdk#5094, open-ace/open-ace#3263
  @resume-11
  Scenario Outline: No id, at a good end, is no resume
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI names no session
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run is recorded as fresh because of refused
    And the second run has no native id on record

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  # seen in: OpenHands/software-agent-sdk#5094, open-ace/open-ace#3263
  @resume-11
  Scenario Outline: Two ids, at a good end, are no resume, and neither of them is kept
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI names two sessions
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run is recorded as fresh because of refused
    And the second run has no native id on record

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  # seen in: OpenHands/software-agent-sdk#5094, the-open-engine/zeroshot#808, openclaw#70177
  @resume-11
  Scenario Outline: Anything but the asked id, at a bad end, is an ordinary failure that proves nothing
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <behaves>
    When a development run of the issue is due
    Then the second run has failed
    And the CLI was started 1 time in the second run
    And the second run is recorded as neither resumed nor a fallback
    And the second run has no native id on record

    Examples:
      | adapter     | behaves                              |
      | claude-code | starts a session of its own and fails |

    Examples: more combinations
      | adapter     | behaves                              |
      | claude-code | names two sessions and fails         |
      | claude-code | is killed before naming the session  |
      | claude-code | fails with a general error           |
      | claude-code | fails without a word                 |
      | codex       | starts a session of its own and fails |
      | codex       | names two sessions and fails         |
      | codex       | is killed before naming the session  |
      | codex       | fails with a general error           |
      | codex       | fails without a word                 |
      | opencode    | starts a session of its own and fails |
      | opencode    | names two sessions and fails         |
      | opencode    | is killed before naming the session  |
      | opencode    | fails with a general error           |
      | opencode    | fails without a word                 |
      | copilot     | starts a session of its own and fails |
      | copilot     | names two sessions and fails         |
      | copilot     | is killed before naming the session  |
      | copilot     | fails with a general error           |
      | copilot     | fails without a word                 |

  @resume-11
  Scenario Outline: A run that timed out before the CLI named anything proves nothing
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI hangs before naming the session
    When 30 minutes pass
    Then the second run has timed_out
    And the second run is recorded as neither resumed nor a fallback
    And the second run has no native id on record

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @resume-11
  Scenario Outline: After a run that proved nothing, the last session that was proven is asked for again
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI <behaves>
    When a ci_fix run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     | behaves                               |
      | copilot     | names no session                      |

    Examples: more combinations
      | adapter     | behaves                               |
      | claude-code | names no session                      |
      | claude-code | names two sessions                    |
      | claude-code | starts a session of its own and fails |
      | codex       | names no session                      |
      | codex       | names two sessions                    |
      | codex       | names two sessions and fails          |
      | opencode    | names no session                      |
      | opencode    | names two sessions                    |
      | opencode    | starts a session of its own and fails |
      | copilot     | names two sessions                    |
      | copilot     | names two sessions and fails          |

  # seen in: anthropics/claude-code#8069, anthropics/claude-code#10806, paperclip#9219
  @resume-12
  Scenario Outline: A CLI that goes on under a new id is asked for the new one
    Given an issue served by claude-code
    And an analysis run of the issue has ended
    And a <before> run of the issue in which the CLI resumes under a new id
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the first and the second run have different native ids on record
    And the second run is recorded as resumed
    And the third run is recorded as resumed
    And the session of the third run remembers the prompt of the first run
    And the session of the third run remembers the prompt of the second run

    Examples:
      | before      | phase               |
      | ci_fix      | conflict_resolution |

    Examples: more combinations
      | before      | phase               |
      | analysis    | development         |
      | development | ci_fix              |
      | development | review_fix          |
      | answer      | answer              |

  # seen in: anthropics/claude-code#8069, anthropics/claude-code#2354, anthropics/claude-code#3510
  @resume-12
  Scenario: A CLI that changes its id at every run is followed every time
    Given an issue served by claude-code
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI resumes under a new id
    And a ci_fix run of the issue in which the CLI resumes under a new id
    And the engine was killed and started again
    When a review_fix run of the issue is due
    Then the fourth run has succeeded
    And every run of the issue after the first asked the CLI to resume the session of the run before it
    And every run of the issue after the first is recorded as resumed
    And the session of the fourth run remembers the prompt of the first run
    And the session of the fourth run remembers the prompt of the third run
