Feature: A run that is cut off leaves nothing running that could write
  When a run takes too long or its issue ends, the engine stops the container itself and waits for its end. A container
  that went on would write into the session of the next run.

  @isolate-12
  Scenario Outline: At a time-out the container is stopped before the run ends
    Given an issue served by <adapter>
    And at its next start the CLI <hangs>
    When a development run of the issue is due
    And 30 minutes pass
    Then the first run has timed_out
    And the container of the first run was stopped

    Examples:
      | adapter     | hangs                           |
      | grok-build  | hangs after naming the session  |

    Examples: more combinations
      | adapter     | hangs                           |
      | claude-code | hangs after naming the session  |
      | claude-code | hangs before naming the session |
      | codex       | hangs after naming the session  |
      | codex       | hangs before naming the session |
      | opencode    | hangs after naming the session  |
      | opencode    | hangs before naming the session |
      | copilot     | hangs after naming the session  |
      | copilot     | hangs before naming the session |
      | grok-build  | hangs before naming the session |

  @isolate-12
  Scenario Outline: The container of a run that timed out has ended before the next run starts its own
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the CLI hangs after naming the session
    When a review_fix run of the issue is due
    And 31 minutes pass
    Then the second run has timed_out
    And the container of the second run was stopped before the third run started its own
    And at no time did two containers of the issue run at once

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @isolate-12
  Scenario Outline: The fresh start of a run whose session was refused is stopped as well
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it hangs after naming the session
    When a review_fix run of the issue is due
    And 30 minutes pass
    Then the second run has timed_out
    And the CLI was started 2 times in the second run
    And the container of the second run was stopped

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @isolate-12
  Scenario Outline: When the issue ends, the container of its live run is stopped
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the CLI <hangs>
    When a review_fix run of the issue is due
    And the issue is <end>
    Then the second run has cancelled
    And the container of the second run was stopped

    Examples:
      | adapter     | hangs                           | end                      |
      | codex       | hangs before naming the session | unassigned               |

    Examples: more combinations
      | adapter     | hangs                           | end                      |
      | claude-code | hangs after naming the session  | unassigned               |
      | claude-code | hangs before naming the session | closed by merge          |
      | codex       | hangs after naming the session  | closed without a merge   |
      | opencode    | hangs after naming the session  | deleted from the tracker |
      | opencode    | hangs before naming the session | unassigned               |
      | copilot     | hangs after naming the session  | unassigned               |
      | copilot     | hangs before naming the session | closed by merge          |
      | grok-build  | hangs before naming the session | unassigned               |

  @isolate-12
  Scenario Outline: When the sweep finds that the issue has ended, the container of its live run is stopped
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    And the tracker answers 404 for the issue
    When the reconciler sweeps
    Then the first run has cancelled
    And the container of the first run was stopped

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |

  @isolate-12
  Scenario Outline: A run without a session is stopped in the same way
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is false at project scope
    And at its next start the CLI hangs after naming the session
    When a development run of the issue is due
    And <what>
    Then the first run has <outcome>
    And the container of the first run was stopped

    Examples:
      | adapter     | what                    | outcome   |
      | copilot     | the issue is unassigned | cancelled |

    Examples: more combinations
      | adapter     | what                    | outcome   |
      | claude-code | 30 minutes pass         | timed_out |
