Feature: With the setting off, a run is what it would be without the feature
  Somebody who turns AGENT_SESSION_RESUME off gets an engine that has never heard of sessions: no name, no extra
  mount, no option of the CLI, nothing in the table. The kit compares such a run with a first run of an equal issue
  for which the setting is on, and takes away from the latter what belongs to sessions.

  # seen in: cyrus#1286, cyrus#1376, specula-org/tlaps-bench#51
  @off-2 @off-7
  Scenario Outline: Off for the organization, both runs of a phase are started as without the feature
    Given an issue served by <adapter>
    And an issue of the same title in another organization
    And AGENT_SESSION_RESUME is false at organization scope
    And credentials are mounted at "/home/agent/.secrets/token"
    And a <phase> run of the other issue has ended
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the first run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the prompt of the first run of the issue is that of the first run of the other issue, addresses aside
    And the second run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the arguments of the first run of the issue have nothing of sessions
    And the arguments of the second run of the issue have nothing of sessions
    And the second run of the issue mounts nothing of any session
    And the request of the first run of the issue has a null session
    And the request of the second run of the issue has a null session
    And the first run of the issue has no session on record
    And the second run of the issue has no session on record
    And no session directory was made for the issue

    Examples:
      | adapter     | phase               |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | development         |
      | opencode    | review_fix          |
      | copilot     | ci_fix              |
      | grok-build  | analysis            |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | codex       | analysis            |
      | codex       | ci_fix              |
      | codex       | review_fix          |
      | codex       | conflict_resolution |
      | codex       | answer              |
      | opencode    | analysis            |
      | opencode    | development         |
      | opencode    | ci_fix              |
      | opencode    | conflict_resolution |
      | opencode    | answer              |
      | copilot     | analysis            |
      | copilot     | development         |
      | copilot     | review_fix          |
      | copilot     | conflict_resolution |
      | copilot     | answer              |
      | grok-build  | development         |
      | grok-build  | ci_fix              |
      | grok-build  | review_fix          |
      | grok-build  | conflict_resolution |
      | grok-build  | answer              |

  # seen in: cyrus#1286, cyrus#1376, specula-org/tlaps-bench#51
  @off-3 @off-7
  Scenario Outline: Off for the project, both runs are started as without the feature
    Given an issue served by <adapter>
    And an issue of the same title in another project of the organization
    And AGENT_SESSION_RESUME is false at project scope
    And a <phase> run of the other issue has ended
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the first run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the prompt of the first run of the issue is that of the first run of the other issue, addresses aside
    And the second run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the arguments of the second run of the issue have nothing of sessions
    And the second run of the issue mounts its worktree and nothing else
    And the request of the second run of the issue has a null session
    And the first run of the issue has no session on record
    And the second run of the issue has no session on record
    And no session directory was made for the issue

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
      | grok-build  | analysis    |
      | grok-build  | development |

  Scenario Outline: Turned off after a run, the next run has nothing of the session that there is
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And AGENT_SESSION_RESUME is false at <scope> scope
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run did not ask the CLI to resume anything
    And the arguments of the second run of the issue have nothing of sessions
    And the second run of the issue mounts its worktree and nothing else
    And the request of the second run of the issue has a null session
    And the second run of the issue has no session on record

    @off-2 @off-7
    Examples: for the organization
      | adapter     | scope        | phase       |
      | codex       | organization | development |

    @off-3 @off-7
    Examples: for the project
      | adapter     | scope   | phase       |
      | opencode    | project | answer      |

    @off-2 @off-7
    Examples: more combinations
      | adapter     | scope        | phase       |
      | claude-code | organization | development |
      | claude-code | organization | answer      |
      | codex       | organization | answer      |
      | opencode    | organization | development |
      | opencode    | organization | answer      |
      | copilot     | organization | development |
      | copilot     | organization | answer      |

    @off-3 @off-7
    Examples: more combinations
      | adapter     | scope   | phase       |
      | claude-code | project | development |
      | claude-code | project | answer      |
      | codex       | project | development |
      | codex       | project | answer      |
      | opencode    | project | development |
      | copilot     | project | development |
      | copilot     | project | answer      |

  @off-2 @off-7
  Scenario Outline: Without a session an id is not even stored while the CLI still runs
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at organization scope
    And at its next start the CLI hangs after naming the session
    When a development run of the issue is due
    Then the first run is live
    And the first run of the issue has no session on record

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @off-7
  Scenario Outline: A run without a session that does not succeed has nothing of a session on record
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at organization scope
    And at its next start the CLI <does>
    When a development run of the issue is due
    And 30 minutes pass
    Then the first run has <outcome>
    And the first run of the issue has no session on record
    And the request of the first run of the issue has a null session

    Examples:
      | adapter     | does                                        | outcome   |
      | grok-build  | hangs after naming the session              | timed_out |

    Examples: more combinations
      | adapter     | does                                        | outcome   |
      | claude-code | hangs after naming the session              | timed_out |
      | claude-code | is killed after naming the session          | failed    |
      | claude-code | is rate limited                             | failed    |
      | claude-code | fails with a text about something not found | failed    |
      | codex       | hangs after naming the session              | timed_out |
      | codex       | is killed after naming the session          | failed    |
      | codex       | is rate limited                             | failed    |
      | codex       | fails with a text about something not found | failed    |
      | opencode    | hangs after naming the session              | timed_out |
      | opencode    | is killed after naming the session          | failed    |
      | opencode    | is rate limited                             | failed    |
      | opencode    | fails with a text about something not found | failed    |
      | copilot     | hangs after naming the session              | timed_out |
      | copilot     | is killed after naming the session          | failed    |
      | copilot     | is rate limited                             | failed    |
      | copilot     | fails with a text about something not found | failed    |
      | grok-build  | is killed after naming the session          | failed    |
      | grok-build  | is rate limited                             | failed    |
      | grok-build  | fails with a text about something not found | failed    |
