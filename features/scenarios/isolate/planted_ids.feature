Feature: What the agent writes does not choose the session of the next run
  Code of the repository runs in the container and can write into everything that is mounted there. The engine knows
  from its own database which session is to be resumed, and reads it nowhere else.

  # seen in: 2mawi2/schaltwerk#217, stoneforge-ai/stoneforge#117, stoneforge-ai/stoneforge#130
  # seen in: agent-of-empires#3546, nanocoai/nanoclaw#2630, rappdw/sandy#224
  @resume-4
  Scenario Outline: An agent that plants ids, an index and a newer session does not get them resumed
    Given an issue served by <adapter>
    And at its next start the agent plants another session wherever it can
    And a <phase> run of the issue has ended
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed
    And the session of the second run of the issue remembers exactly the prompts of the runs before it
    And what the agent planted was neither asked for nor stored

    Examples:
      | adapter     | phase       |
      | codex       | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | claude-code | development |
      | codex       | development |
      | opencode    | analysis    |
      | opencode    | development |
      | copilot     | analysis    |
      | copilot     | development |

  # seen in: 2mawi2/schaltwerk#217, stoneforge-ai/stoneforge#117, stoneforge-ai/stoneforge#130
  @resume-4
  Scenario Outline: What was planted by a run that reported no id is not taken for its id
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the agent plants another session wherever it can
    And a ci_fix run of the issue has ended
    And a ci_fix run of the issue in which the CLI names no session
    When a review_fix run of the issue is due
    Then the last run asked the CLI to resume the native id of the first run
    And what the agent planted was neither asked for nor stored

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |
