Feature: One memory from the first run to the last
  An issue is worked on in many runs. Each takes up the session of the one before it, gets its prompt in full all the
  same, works in the same place, and is written down with the session in which it really took place.

  @resume-2
  Scenario Outline: An issue keeps one session through all of its phases
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And an answer run of the issue has ended
    And a development run of the issue has ended
    And a ci_fix run of the issue has ended
    And a review_fix run of the issue has ended
    When a conflict_resolution run of the issue is due
    Then there are 6 runs of the issue
    And the last run has succeeded
    And every run of the issue after the first asked the CLI to resume the session of the run before it
    And every run of the issue after the first is recorded as resumed
    And the session of the last run remembers the prompt of the first run
    And the session of the last run remembers the prompt of the fifth run

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  # seen in: ebibibi/ebi-agent-chat-relay#437, its-ahoh/codey#431, garrytan/gstack#1258
  @resume-2
  Scenario Outline: A resuming run is understood and served at its first start
    Given an issue served by <adapter>
    And a <before> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the CLI understood the arguments of every start
    And the second run is recorded as resumed

    Examples:
      | adapter     | before      | phase       |
      | copilot     | analysis    | development |

    Examples: more combinations
      | adapter     | before      | phase       |
      | claude-code | development | analysis    |
      | claude-code | analysis    | development |
      | codex       | development | analysis    |
      | codex       | analysis    | development |
      | opencode    | development | analysis    |
      | opencode    | analysis    | development |
      | copilot     | development | analysis    |

  @resume-7
  Scenario Outline: A resumed run gets the prompt of a fresh one
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the issue has ended
    And an analysis run of the twin issue has ended
    And the state directory of the twin issue was removed
    And a <phase> run of the twin issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the prompt of the second run is the one that the twin issue got afresh in the same phase

    Examples:
      | adapter     | phase               |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | ci_fix              |
      | opencode    | review_fix          |
      | copilot     | development         |
      | codex       | analysis            |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | codex       | development         |
      | codex       | review_fix          |
      | codex       | conflict_resolution |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | opencode    | ci_fix              |
      | opencode    | conflict_resolution |
      | opencode    | answer              |
      | copilot     | analysis            |
      | copilot     | ci_fix              |
      | copilot     | review_fix          |
      | copilot     | conflict_resolution |
      | copilot     | answer              |

  @resume-8
  Scenario Outline: Every run of an issue works in the workspace of its container
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And at its next start the CLI <behaves>
    And a ci_fix run of the issue has ended
    When an answer run of the issue is due
    Then there are 4 runs of the issue
    And the last run has succeeded
    And every start of the CLI ran in the workspace of the container

    Examples:
      | adapter     | behaves             |
      | opencode    | answers             |
      | grok-build  | answers             |

    Examples: more combinations
      | adapter     | behaves             |
      | claude-code | answers             |
      | claude-code | refuses the session |
      | codex       | answers             |
      | codex       | refuses the session |
      | opencode    | refuses the session |
      | copilot     | answers             |
      | copilot     | refuses the session |

  @resume-8
  Scenario Outline: Runs without a session work in the workspace as well
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at project scope
    And an analysis run of the issue has ended
    When a development run of the issue is due
    Then the second run has succeeded
    And every start of the CLI ran in the workspace of the container

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @resume-8
  Scenario: The review of a human's merge request works in the workspace as well
    Given a merge request that a human handed to the agent, served by claude-code
    When a human_review run of the merge request is due
    Then the first run of the merge request has succeeded
    And every start of the CLI ran in the workspace of the container

  @resume-9
  Scenario Outline: A first run is recorded with the id of its session, and as not resumed
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the native id on record for the first run is the one of the session that the CLI served
    And the first run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | phase       |
      | copilot     | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | claude-code | development |
      | codex       | analysis    |
      | codex       | development |
      | opencode    | analysis    |
      | opencode    | development |
      | copilot     | development |

  @resume-9
  Scenario Outline: The id that the CLI reports is recorded, not the one that was chosen for it
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI starts a session of its own
    When a development run of the issue is due
    Then the native id on record for the first run is the one of the session that the CLI served
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @resume-9
  Scenario Outline: An id that the CLI never reported is not recorded
    Given an issue served by <adapter>
    And at its next start the CLI <behaves>
    When an analysis run of the issue is due
    Then the first run has failed
    And the first run has no native id on record

    Examples:
      | adapter     | behaves                             |
      | claude-code | is killed before naming the session |

    Examples: more combinations
      | adapter     | behaves                             |
      | claude-code | fails without a word                |
      | codex       | is killed before naming the session |
      | opencode    | is killed before naming the session |
      | copilot     | is killed before naming the session |
      | copilot     | fails without a word                |

  @resume-9
  Scenario Outline: A run that failed is recorded with the session that it resumed
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <behaves>
    When a development run of the issue is due
    Then the second run has failed
    And the native id on record for the second run is the one of the session that the CLI served
    And the first and the second run have the same native id on record
    And the second run is recorded as resumed

    Examples:
      | adapter     | behaves                                         |
      | codex       | is not authorised                               |

    Examples: more combinations
      | adapter     | behaves                                         |
      | claude-code | is rate limited                                 |
      | claude-code | fails with a text about something not found     |
      | codex       | fails with a text about something not found     |
      | opencode    | gets a server error                             |
      | opencode    | fails with a text about something not found     |
      | copilot     | is rate limited                                 |
      | copilot     | fails with a text about something not found     |

  @resume-9
  Scenario Outline: What the answer says of session ids is no report
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI answers in prose about another session
    And a development run of the issue in which the CLI answers in prose about another session
    When a ci_fix run of the issue is due
    Then the native id on record for the first run is the one of the session that the CLI served
    And every run of the issue after the first asked the CLI to resume the session of the run before it
    And every run of the issue after the first is recorded as resumed

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |
