Feature: A fresh start after a refusal has what is left of the phase's time
  A run has one time limit. What the refused start used up of it is gone, and the fresh start gets the rest and no more.

  @fallback-7
  Scenario Outline: Both starts together take no longer than the phase may
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after <before> minutes, and at the one after it <hang> after 0 minutes
    When a <phase> run of the issue is due
    And 65 minutes pass
    Then the second run has timed_out
    And the second start of the second run came <before> minutes after the first and was stopped 30 minutes after it

    Examples: every phase
      | adapter | before | hang                            | phase               |
      | codex   | 20     | hangs after naming the session  | analysis            |

    Examples: more combinations
      | adapter     | before | hang                          | phase       |
      | claude-code | 10     | hangs after naming the session  | development |
      | codex       | 10     | hangs before naming the session | ci_fix      |
      | opencode    | 10     | hangs after naming the session  | review_fix  |
      | copilot     | 10     | hangs before naming the session | answer      |

    Examples: more combinations
      | adapter | before | hang                            | phase               |
      | codex   | 20     | hangs after naming the session  | development         |
      | codex   | 20     | hangs after naming the session  | review_fix          |
      | codex   | 20     | hangs after naming the session  | conflict_resolution |
      | codex   | 20     | hangs after naming the session  | answer              |

    Examples: more combinations
      | adapter     | before | hang                            | phase       |
      | claude-code | 29     | hangs before naming the session | ci_fix      |
      | opencode    | 29     | hangs before naming the session | development |

  @fallback-7
  Scenario Outline: A fresh start that would be done in time after a first run's whole time is stopped all the same
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after 10 minutes, and at the one after it answers after 25 minutes
    When a <phase> run of the issue is due
    And 30 minutes pass
    Then the second run has timed_out
    And the second run is recorded as fresh because of refused
    And the second start of the second run came 10 minutes after the first and was stopped 30 minutes after it

    Examples:
      | adapter     | phase       |
      | claude-code | development |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | ci_fix      |
      | opencode    | answer      |
      | copilot     | review_fix  |

  @fallback-6
  Scenario Outline: A fresh start that is done within what is left succeeds
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after 10 minutes, and at the one after it answers after 15 minutes
    When a <phase> run of the issue is due
    And 26 minutes pass
    Then the second run has succeeded
    And the CLI was started 2 times in the second run
    And the second run is recorded as fresh because of refused

    Examples:
      | adapter     | phase       |
      | codex       | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | opencode    | answer      |
      | copilot     | review_fix  |
