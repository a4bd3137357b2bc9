Feature: What an adapter is asked and what it answers have one shape
  An adapter gets a request that has either no session or one with a name, a directory and perhaps an id to resume. It
  gives a result that says which session it was, whether that was resumed, and if not, why.

  @contract-1
  Scenario Outline: The request of a first run has a session without an id
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the request of the first run has a session of that name, with nothing to resume
    And the first run has the name of the issue's branch on record

    Examples:
      | adapter     | phase       |
      | claude-code | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | development |
      | opencode    | analysis    |
      | copilot     | answer      |

  @contract-1
  Scenario Outline: The request of a later run has the id to resume, in every phase
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the request of the second run has a session that resumes the id of the first run

    Examples: every adapter
      | adapter     | phase       |
      | copilot     | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | opencode    | review_fix  |

    Examples: more combinations
      | adapter | phase               |
      | copilot | analysis            |
      | copilot | development         |
      | copilot | ci_fix              |
      | copilot | review_fix          |
      | copilot | conflict_resolution |

  @contract-1
  Scenario Outline: The request of a run that cannot resume has a session without an id
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the request of the second run has a session of that name, with nothing to resume

    Examples:
      | adapter     | cause                                        | phase       |
      | claude-code | the state directory of the issue was removed | development |

    Examples: more combinations
      | adapter     | cause                                        | phase       |
      | codex       | the state directory of the issue was emptied | ci_fix      |
      | opencode    | the state directory of the issue was removed | answer      |
      | copilot     | the state directory of the issue was emptied | review_fix  |

  @contract-1
  Scenario Outline: The request of a run with an unfit version has a session without an id
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the request of the second run has a session of that name, with nothing to resume

    Examples:
      | adapter     | version | phase       |
      | codex       | 0.100.0 | ci_fix      |

    Examples: more combinations
      | adapter     | version | phase       |
      | claude-code | 1.0.100 | development |
      | opencode    | 1.3.2   | answer      |
      | copilot     | 1.0.24  | review_fix  |

  @contract-1
  Scenario Outline: The request of a run to which no session applies has a null session
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is <value> at project scope
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the request of the first run of the issue has a null session
    And the request of the second run of the issue has a null session

    Examples:
      | adapter     | value | phase       |
      | grok-build  | true  | development |

    Examples: more combinations
      | adapter     | value | phase       |
      | claude-code | false | development |
      | codex       | false | ci_fix      |
      | opencode    | false | answer      |
      | copilot     | false | review_fix  |
      | api         | true  | answer      |

  @contract-1
  Scenario Outline: The request of a review of a human's merge request has a null session
    Given a merge request that a human handed to the agent, served by <adapter>
    When a human_review run of the merge request is due
    Then the request of the first run of the merge request has a null session

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @contract-2
  Scenario Outline: The result of a first run has its new id and the reason no_prior_session
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the native id on record for the first run is the one of the session that the CLI served
    And the result of the first run is not resumed, with the native id on record and the reason no_prior_session

    Examples:
      | adapter     | phase       |
      | opencode    | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | codex       | development |
      | copilot     | answer      |

  @contract-2
  Scenario Outline: The result of a resumed run has its id and no reason
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the native id on record for the second run is the one of the session that the CLI served
    And the result of the second run is resumed, with the native id on record and no reason

    Examples: every adapter
      | adapter     | phase       |
      | opencode    | review_fix  |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | copilot     | answer      |

    Examples: more combinations
      | adapter | phase               |
      | codex   | analysis            |
      | codex   | development         |
      | codex   | review_fix          |
      | codex   | conflict_resolution |
      | codex   | answer              |

  @contract-2
  Scenario Outline: The result of a run that could not resume has its new id and its reason
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the native id on record for the second run is the one of the session that the CLI served
    And the result of the second run is not resumed, with the native id on record and the reason <reason>

    Examples:
      | adapter     | cause                                         | phase               | reason          |
      | claude-code | at its next start the CLI refuses the session | development         | refused         |

    Examples: more combinations
      | adapter     | cause                                         | phase               | reason          |
      | codex       | at its next start the CLI refuses the session | ci_fix              | refused         |
      | opencode    | at its next start the CLI refuses the session | answer              | refused         |
      | copilot     | at its next start the CLI refuses the session | review_fix          | refused         |
      | claude-code | the state directory of the issue was removed  | answer              | state_missing   |
      | codex       | the state directory of the issue was emptied  | development         | state_missing   |
      | opencode    | the state directory of the issue was removed  | ci_fix              | state_missing   |
      | copilot     | the state directory of the issue was emptied  | conflict_resolution | state_missing   |
      | claude-code | the project was bound to codex                | review_fix          | adapter_changed |
      | codex       | the project was bound to copilot              | analysis            | adapter_changed |
      | opencode    | the project was bound to claude-code          | development         | adapter_changed |
      | copilot     | the project was bound to opencode             | ci_fix              | adapter_changed |

  @contract-2
  Scenario Outline: The result of a run with an unfit version has its new id and its reason
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the native id on record for the second run is the one of the session that the CLI served
    And the result of the second run is not resumed, with the native id on record and the reason unsupported_version

    Examples:
      | adapter     | version | phase       |
      | copilot     | 1.0.24  | review_fix  |

    Examples: more combinations
      | adapter     | version | phase       |
      | claude-code | 1.0.100 | development |
      | codex       | 0.100.0 | ci_fix      |
      | opencode    | 1.3.2   | answer      |

  @contract-2
  Scenario Outline: The result of a run without a session has neither id nor reason
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is <value> at project scope
    When a <phase> run of the issue is due
    Then the first run of the issue has succeeded
    And the result of the first run of the issue is not resumed, without a native id and without a reason

    Examples:
      | adapter     | value | phase       |
      | api         | true  | answer      |

    Examples: more combinations
      | adapter     | value | phase       |
      | claude-code | false | development |
      | codex       | false | ci_fix      |
      | opencode    | false | answer      |
      | copilot     | false | review_fix  |
      | grok-build  | true  | development |

  @contract-2
  Scenario Outline: The result of a review of a human's merge request has neither id nor reason
    Given a merge request that a human handed to the agent, served by <adapter>
    When a human_review run of the merge request is due
    Then the first run of the merge request has succeeded
    And the result of the first run of the merge request is not resumed, without a native id and without a reason

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |
