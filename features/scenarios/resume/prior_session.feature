Feature: The session to resume is looked up in the engine's own table
  The latest run of the same issue and the same agent that has a native id decides. Nothing that runs in a container can
  change what is asked for, however much it writes.

  @resume-3
  Scenario Outline: After another agent has had its turn, the first one resumes its own session
    Given an issue served by <first>
    And an analysis run of the issue has ended
    And the project was bound to <second>
    And an analysis run of the issue has ended
    And the project was bound to <first>
    When a development run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the third run is recorded as resumed

    Examples:
      | first       | second      |
      | opencode    | claude-code |

    Examples: more combinations
      | first       | second      |
      | claude-code | codex       |
      | claude-code | opencode    |
      | claude-code | copilot     |
      | codex       | claude-code |
      | codex       | opencode    |
      | codex       | copilot     |
      | opencode    | codex       |
      | opencode    | copilot     |
      | copilot     | claude-code |
      | copilot     | codex       |
      | copilot     | opencode    |

  @resume-3
  Scenario Outline: Two agents that take turns each resume their own session
    Given an issue served by <first>
    And the development phase is served by <second>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And an answer run of the issue has ended
    When a development run of the issue is due
    Then the fourth run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the fourth run asked the CLI to resume the native id of the second run
    And the session of the fourth run remembers the prompt of the second run

    Examples:
      | first       | second      |
      | claude-code | copilot     |

    Examples: more combinations
      | first       | second      |
      | codex       | claude-code |
      | opencode    | codex       |
      | copilot     | opencode    |

  @resume-3
  Scenario Outline: Runs of agents without sessions change nothing
    Given an issue served by <adapter>
    And the answer phase is served by <other>
    And an analysis run of the issue has ended
    And an answer run of the issue has ended
    When a development run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     | other      |
      | opencode    | api        |

    Examples: more combinations
      | adapter     | other      |
      | claude-code | api        |
      | claude-code | grok-build |
      | codex       | api        |
      | codex       | grok-build |
      | opencode    | grok-build |
      | copilot     | api        |
      | copilot     | grok-build |

  @resume-3
  Scenario Outline: The latest session counts, not the first
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the state directory of the issue was removed
    And an analysis run of the issue has ended
    When a development run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the session of the third run remembers the prompt of the second run

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @resume-3
  Scenario Outline: A run that ended without an id is passed over
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And an analysis run of the issue in which the CLI <behaves>
    When a development run of the issue is due
    Then the second run has failed
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | behaves                             |
      | opencode    | fails without a word                |

    Examples: more combinations
      | adapter     | behaves                             |
      | claude-code | is killed before naming the session |
      | claude-code | fails without a word                |
      | codex       | is killed before naming the session |
      | codex       | fails with a general error          |
      | opencode    | is killed before naming the session |
      | copilot     | is killed before naming the session |
      | copilot     | fails with a general error          |

  @resume-3
  Scenario Outline: Each issue resumes its own session
    Given an issue served by <adapter>
    And <other>
    And an analysis run of the issue has ended
    And an analysis run of the other issue has ended
    And a development run of the issue has ended
    When a development run of the other issue is due
    Then the second run of the issue asked the CLI to resume the native id of the first run of the issue
    And the second run of the other issue asked the CLI to resume the native id of the first run of the other issue
    And the first run of the other issue did not ask the CLI to resume anything

    Examples:
      | adapter     | other                                                               |
      | claude-code | an issue of the same number in another project of the organization  |

    Examples: more combinations
      | adapter     | other                                                               |
      | claude-code | another issue of the same project                                   |
      | claude-code | an issue of the same number and project name in another organization |
      | codex       | another issue of the same project                                   |
      | codex       | an issue of the same number in another project of the organization  |
      | opencode    | another issue of the same project                                   |
      | opencode    | an issue of the same number and project name in another organization |
      | copilot     | another issue of the same project                                   |
      | copilot     | an issue of the same number in another project of the organization  |

  @resume-3
  Scenario Outline: A new start of the engine forgets no session
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the engine was killed and started again
    When a development run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @resume-3
  Scenario Outline: What the table says is asked for, whatever lies in the state directory
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the stored native id of the first run was overwritten with "<id>"
    When a development run of the issue is due
    Then the second run asked the CLI to resume the id "<id>"

    Examples:
      | adapter     | id                                   |
      | codex       | 11111111-2222-7333-8444-555555555555 |

    Examples: more combinations
      | adapter     | id                                   |
      | claude-code | 11111111-2222-4333-8444-555555555555 |
      | opencode    | ses_11111111222233333333334444       |
      | copilot     | 11111111-2222-4333-8444-555555555555 |

  # seen in: xintaofei/codeg#714, kdlbs/kandev#2041
  @resume-3
  Scenario Outline: Sessions from before the issue was reopened do not count
    Given an issue served by <adapter>
    And a <before> run of the issue has ended
    And the issue was <closed>
    And the issue was reopened
    When an analysis run of the issue is due
    Then the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | before      | closed                 |
      | claude-code | analysis    | unassigned             |

    Examples: more combinations
      | adapter     | before      | closed                 |
      | codex       | development | closed by merge        |
      | opencode    | analysis    | closed without a merge |
      | copilot     | development | unassigned             |

  # seen in: 2mawi2/schaltwerk#217, stoneforge-ai/stoneforge#117, rappdw/sandy#224
  @resume-4
  Scenario Outline: An agent that rewrites all it can reach does not choose the next session
    Given an issue served by <adapter>
    And at its next start the agent rewrites all it can reach to name another session
    And a <before> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run

    Examples:
      | adapter     | before      | phase               |
      | opencode    | development | conflict_resolution |

    Examples: more combinations
      | adapter     | before      | phase               |
      | claude-code | development | ci_fix              |
      | claude-code | analysis    | development         |
      | codex       | development | review_fix          |
      | codex       | analysis    | answer              |
      | opencode    | analysis    | development         |
      | copilot     | development | ci_fix              |
      | copilot     | analysis    | answer              |

  @resume-4
  Scenario Outline: What an agent rewrites does not count after a new start of the engine either
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the agent rewrites all it can reach to name another session
    And a development run of the issue has ended
    And the engine was killed and started again
    When a ci_fix run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  # seen in: vercel/ai#19102, entireio/external-agents#64, openai/codex#30995
  @resume-10
  Scenario Outline: A newer foreign session beside the own one is never taken for it
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI <behaves>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And no start of the CLI asked for the most recent session, or for one by name

    Examples:
      | adapter     | behaves                                     | phase       |
      | claude-code | answers and leaves a newer foreign session  | development |
      | opencode    | answers and leaves a newer foreign session  | development |
      | copilot     | answers and leaves an empty session         | answer      |

    Examples: more combinations
      | adapter     | behaves                                     | phase       |
      | claude-code | answers and leaves a newer foreign session  | answer      |
      | claude-code | answers and leaves an empty session         | development |
      | codex       | answers and leaves a newer foreign session  | development |
      | codex       | answers and leaves a newer foreign session  | answer      |
      | opencode    | answers and leaves a newer foreign session  | answer      |
      | copilot     | answers and leaves a newer foreign session  | development |

  @resume-10
  Scenario Outline: No start of any kind asks for a session other than by its id
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session
    And a development run of the issue has ended
    And the state directory of the issue was emptied
    And a ci_fix run of the issue has ended
    When a review_fix run of the issue is due
    Then the fourth run has succeeded
    And the fourth run asked the CLI to resume the native id of the third run
    And no start of the CLI asked for the most recent session, or for one by name

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @resume-6
  Scenario Outline: Another provider or model goes on with the session
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the project was bound to provider "<provider>" and model "<model>"
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run was made with provider "<provider>" and model "<model>"
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | provider   | model   | phase       |
      | opencode    | provider-b | model-b | ci_fix      |

    Examples: more combinations
      | adapter     | provider   | model   | phase       |
      | claude-code | provider-b | model-a | development |
      | claude-code | provider-a | model-b | answer      |
      | claude-code | provider-b | model-b | ci_fix      |
      | codex       | provider-b | model-a | development |
      | codex       | provider-a | model-b | answer      |
      | codex       | provider-b | model-b | ci_fix      |
      | opencode    | provider-b | model-a | development |
      | opencode    | provider-a | model-b | answer      |
      | copilot     | provider-b | model-a | development |
      | copilot     | provider-a | model-b | answer      |
      | copilot     | provider-b | model-b | ci_fix      |
