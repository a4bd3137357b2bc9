Feature: Some runs never have a session, whatever the setting says
  The engine calls some models itself, some CLIs cannot resume, and a merge request that a human opened is not an
  issue. Runs of these three kinds are what they would be if sessions had never been invented.

  @off-4 @off-7
  Scenario Outline: In API mode the provider gets a request without a session and no CLI is started
    Given an issue served by api
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And no container was started
    And the model provider was asked 2 times, with nothing of sessions
    And the request of the first run of the issue has a null session
    And the request of the second run of the issue has a null session
    And the first run of the issue has no session on record
    And the second run of the issue has no session on record
    And no session directory was ever made

    Examples:
      | phase               |
      | ci_fix              |

    Examples: more combinations
      | phase               |
      | analysis            |
      | development         |
      | review_fix          |
      | conflict_resolution |
      | answer              |

  @off-4 @off-7
  Scenario Outline: An API run between two runs of a CLI leaves the session as it is
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And the project was bound to api
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the CLI was started 0 times in the second run
    And the model provider was asked 1 time, with nothing of sessions
    And the request of the second run of the issue has a null session
    And the second run of the issue has no session on record
    And what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @off-4
  Scenario Outline: After an API run the CLI resumes the session that it had before
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the project was bound to api
    And a review_fix run of the issue has ended
    And the project was bound to <adapter>
    When a ci_fix run of the issue is due
    Then the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @off-5 @off-7
  Scenario Outline: With a CLI that cannot resume, the setting makes no difference
    Given an issue served by grok-build
    And an issue of the same title in another organization
    And AGENT_SESSION_RESUME is true at organization scope
    And AGENT_SESSION_RESUME is false for the organization of the other issue
    And a <phase> run of the other issue has ended
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the first run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the prompt of the first run of the issue is that of the first run of the other issue, addresses aside
    And the second run of the issue was started as the first run of the other issue, sessions and prompts aside
    And the arguments of the first run of the issue have nothing of sessions
    And the arguments of the second run of the issue have nothing of sessions
    And the second run of the issue mounts its worktree and nothing else
    And the request of the second run of the issue has a null session
    And the first run of the issue has no session on record
    And the second run of the issue has no session on record
    And no session directory was ever made

    Examples:
      | phase               |
      | conflict_resolution |

    Examples: more combinations
      | phase               |
      | analysis            |
      | development         |
      | ci_fix              |
      | review_fix          |
      | answer              |

  @off-5 @off-7
  Scenario Outline: A CLI that cannot resume does not touch the session that another CLI has of the issue
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And the project was bound to grok-build
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the arguments of the second run of the issue have nothing of sessions
    And the second run of the issue mounts its worktree and nothing else
    And the second run of the issue has no session on record
    And what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @off-6 @off-7
  Scenario Outline: A human's merge request is reviewed the same way whether the setting is on or off
    Given a merge request that a human handed to the agent, served by <adapter>
    And credentials are mounted at "/home/agent/.secrets/token"
    And a human_review run of the merge request has ended
    And AGENT_SESSION_RESUME is false for the organization of the merge request
    When a human_review run of the merge request is due
    Then the first run of the merge request was started as the second run of the merge request, sessions and prompts aside
    And both runs of the merge request gave the CLI the same arguments, prompts aside
    And the environment of every container is the same in both runs of the merge request
    And the arguments of the first run of the merge request have nothing of sessions
    And the first run of the merge request mounts nothing of any session
    And the request of the first run of the merge request has a null session
    And the first run of the merge request has no session on record
    And no session directory was ever made

    Examples:
      | adapter     |
      | grok-build  |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |
      | copilot     |

  @off-6 @off-7
  Scenario Outline: Later reviews of a human's merge request begin with nothing either
    Given a merge request that a human handed to the agent, served by <adapter>
    And a human_review run of the merge request has ended
    When the merge request reports <event>
    Then the second run of the merge request has succeeded
    And the second run of the merge request did not ask the CLI to resume anything
    And the session of the second run of the merge request remembers nothing
    And the arguments of the second run of the merge request have nothing of sessions
    And the second run of the merge request mounts its worktree and nothing else
    And the second run of the merge request has no session on record
    And no session directory was ever made

    Examples:
      | adapter     | event             |
      | opencode    | a conflict        |

    Examples: more combinations
      | adapter     | event             |
      | claude-code | a failed pipeline |
      | codex       | a review          |
      | copilot     | a review          |

  @off-6 @off-7
  Scenario Outline: A human's merge request with the number of an issue has nothing of that issue's session
    Given an issue served by <adapter>
    And a merge request of the same number in the same project
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    When a human_review run of the merge request is due
    Then the first run of the merge request has succeeded
    And the first run of the merge request did not ask the CLI to resume anything
    And the arguments of the first run of the merge request have nothing of sessions
    And the first run of the merge request mounts its worktree and nothing else
    And the first run of the merge request has no session on record
    And what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |
