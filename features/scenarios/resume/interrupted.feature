Feature: A run that is cut off leaves its session to the next one
  What was done before a time-out or a crash is what the next run most needs to remember. An id that the CLI has named is
  kept, however the run ends.

  # seen in: swapnildahiphale/OpenSRE#57, open-mercato/cezar#974, the-open-engine/zeroshot#811
  @resume-15
  Scenario Outline: After a time-out the next run resumes the session that was named
    Given an issue served by <adapter>
    And a <phase> run of the issue in which the CLI hangs after naming the session
    When 32 minutes pass
    Then the first run has timed_out
    And the native id on record for the first run is the one of the session that the CLI served
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | opencode    | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | claude-code | development |
      | codex       | analysis    |
      | codex       | development |
      | opencode    | development |

  # seen in: ai-daming/clickvibe#17, the-open-engine/zeroshot#808
  @resume-15
  Scenario Outline: After a kill the next run resumes the session that was named
    Given an issue served by <adapter>
    And a <phase> run of the issue in which the CLI is killed after naming the session
    When 2 minutes pass
    Then the first run has failed
    And the native id on record for the first run is the one of the session that the CLI served
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run

    Examples:
      | adapter     | phase       |
      | codex       | analysis    |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | claude-code | ci_fix      |
      | codex       | review_fix  |
      | opencode    | analysis    |
      | opencode    | development |

  # seen in: swapnildahiphale/OpenSRE#57, the-open-engine/zeroshot#871
  @resume-15
  Scenario Outline: After a crash of the engine the next run resumes the session that was named
    Given an issue served by <adapter>
    And a <phase> run of the issue in which the CLI hangs after naming the session
    And the engine was killed and started again
    When 5 minutes pass
    Then the first run is abandoned
    And the native id on record for the first run is the one of the session that the CLI served
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run

    Examples:
      | adapter     | phase       |
      | claude-code | development |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | analysis    |
      | codex       | analysis    |
      | codex       | development |
      | opencode    | analysis    |
      | opencode    | development |

  # seen in: aegra/aegra#502
  @resume-15
  Scenario Outline: After a worker is gone its successor resumes the session that was named
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    When the lease of the issue expires
    Then the first run is abandoned
    And the native id on record for the first run is the one of the session that the CLI served
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |

  @resume-15
  Scenario Outline: A cancelled run keeps the id of its session
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    When the issue is <closed>
    Then the first run is cancelled
    And the native id on record for the first run is the one of the session that the CLI served

    Examples:
      | adapter     | closed                 |
      | claude-code | unassigned             |

    Examples: more combinations
      | adapter     | closed                 |
      | claude-code | closed without a merge |
      | codex       | unassigned             |
      | codex       | closed by merge        |
      | opencode    | closed without a merge |
      | opencode    | closed by merge        |

  @resume-15
  Scenario Outline: The id is on record while the run still lasts
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI hangs after naming the session
    And the native id on record for the first run is noted while it lasts
    When the CLI goes on to its end
    Then the first run has succeeded
    And the native id noted is the one of the session that the CLI served in the first run

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |

  @resume-15
  Scenario Outline: The id of a resumed session is on record while the run still lasts
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a <phase> run of the issue in which the CLI hangs after naming the session
    And the native id on record for the second run is noted while it lasts
    When the CLI goes on to its end
    Then the second run has succeeded
    And the native id noted is the one of the session that the CLI served in the second run

    Examples:
      | adapter     | phase       |
      | claude-code | ci_fix      |

    Examples: more combinations
      | adapter     | phase       |
      | codex       | development |
      | opencode    | answer      |

  @resume-15
  Scenario Outline: A resumed run that is cut off leaves its session to the next one as well
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI hangs after naming the session
    When 32 minutes pass
    Then the second run has timed_out
    And the first and the second run have the same native id on record
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the second run

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |

  @resume-15
  Scenario Outline: A fresh session after a refusal is kept although it was cut off
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <behaves>
    And a development run of the issue in which the CLI answers
    When 32 minutes pass
    Then the second run has <outcome>
    And the first and the second run have different native ids on record
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the session of the third run remembers the prompt of the second run

    Examples:
      | adapter     | behaves                            | outcome   |
      | claude-code | is killed after naming the session | failed    |

    Examples: more combinations
      | adapter     | behaves                            | outcome   |
      | claude-code | hangs after naming the session     | timed_out |
      | codex       | hangs after naming the session     | timed_out |
      | codex       | is killed after naming the session | failed    |
      | opencode    | hangs after naming the session     | timed_out |
      | opencode    | is killed after naming the session | failed    |
