Feature: A session goes with every run that can have one, and with no other
  A run of an issue by an agent that can resume is asked for with a session. Where resuming is switched off, where the
  agent cannot, and for the merge requests of humans, there is none.

  @resume-1
  Scenario Outline: A first run is asked for with a session that resumes nothing yet
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the request of the first run has a session of that name, with nothing to resume
    And the first run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | phase               |
      | claude-code | analysis            |
      | copilot     | answer              |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | analysis            |
      | codex       | development         |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | opencode    | answer              |
      | copilot     | analysis            |
      | copilot     | development         |

  @resume-1
  Scenario Outline: A later run is asked for with the session of the run before
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the request of the second run has a session that resumes the id of the first run
    And the second run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | phase       |
      | claude-code | development |
      | codex       | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | answer      |
      | codex       | development |
      | opencode    | development |
      | opencode    | answer      |
      | copilot     | development |
      | copilot     | answer      |

  @resume-1
  Scenario Outline: A version that cannot resume yet has a session all the same
    Given an issue served by <adapter>
    And the <adapter> CLI has version <version>
    When a development run of the issue is due
    Then the first run has succeeded
    And the request of the first run has a session of that name, with nothing to resume
    And the first run mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter     | version |
      | codex       | 0.121.0 |

    Examples: more combinations
      | adapter     | version |
      | claude-code | 1.0.123 |
      | opencode    | 1.15.2  |
      | copilot     | 1.0.72  |

  @resume-1
  Scenario Outline: With the setting off a run is asked for without a session
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at <scope> scope
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the request of the first run of the issue has a null session
    And the first run of the issue mounts nothing of any session

    Examples:
      | adapter     | scope        | phase       |
      | opencode    | organization | answer      |

    Examples: more combinations
      | adapter     | scope        | phase       |
      | claude-code | organization | analysis    |
      | claude-code | project      | development |
      | codex       | organization | development |
      | codex       | project      | answer      |
      | opencode    | project      | analysis    |
      | copilot     | organization | development |
      | copilot     | project      | analysis    |

  @resume-1
  Scenario Outline: An agent that does not resume is asked without a session
    Given an issue served by <adapter>
    When a <phase> run of the issue is due
    Then the first run has succeeded
    And the request of the first run of the issue has a null session
    And the first run of the issue has no session on record

    Examples:
      | adapter    | phase       |
      | api        | analysis    |
      | grok-build | analysis    |

    Examples: more combinations
      | adapter    | phase       |
      | grok-build | development |
      | api        | development |

  @resume-1
  Scenario Outline: A human's merge request is reviewed without a session
    Given a merge request that a human handed to the agent, served by <adapter>
    When a human_review run of the merge request is due
    Then the first run of the merge request has succeeded
    And the request of the first run of the merge request has a null session
    And the first run of the merge request mounts nothing of any session

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |
