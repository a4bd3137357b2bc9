Feature: As long as an issue is open, what was kept for it stays
  Failures, crashes, a long wait for a human and the yearly cleaning of old rows are no reasons to forget. The next run
  finds the session of the last one.

  # seen in: open-ace#3263, swapnildahiphale/OpenSRE#57, ai-daming/clickvibe#17, open-mercato/cezar#974
  @clean-5
  Scenario Outline: An issue that was blocked for two months, over a restart and sweeps, resumes after the retry
    Given an issue served by <adapter>
    And RETENTION_DAYS is 365 for the whole instance
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI <fails>
    And the issue is blocked
    And 60 days have passed
    And the files of the issue are 60 days old
    And the engine was killed and started again
    And the reconciler has swept
    When a human retries the issue
    Then the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     | fails                              |
      | codex       | is rate limited                    |

    Examples: more combinations
      | adapter     | fails                              |
      | claude-code | is rate limited                    |
      | claude-code | is killed after naming the session |
      | codex       | is killed after naming the session |
      | opencode    | is rate limited                    |
      | opencode    | is killed after naming the session |
      | copilot     | is rate limited                    |
      | copilot     | is killed after naming the session |

  @clean-5
  Scenario Outline: An issue that was blocked because its retries were used up resumes after the retry
    Given an issue served by <adapter>
    And LLM_MAX_RETRIES is 0 for the whole instance
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI gets a server error
    And the reconciler has swept
    When a human retries the issue
    Then the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @clean-5 @clean-7
  Scenario Outline: The state of an issue that is blocked for longer than rows are kept stays
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And the issue is blocked
    And 60 days have passed
    And the engine was killed and started again
    When the reconciler sweeps 2 times
    Then what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @clean-6
  Scenario Outline: A lease that is reclaimed leaves the state, and the new run resumes
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI hangs after naming the session
    When the lease of the issue expires
    Then the second run has abandoned
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the third run is recorded as resumed
    And the state directory of the issue is kept

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @clean-6
  Scenario Outline: A lease that is reclaimed a second time leaves the state as well
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And at its next start the CLI hangs after naming the session
    And a ci_fix run of the issue in which the CLI hangs after naming the session
    And the lease of the issue has expired
    When the lease of the issue expires
    Then the second run has abandoned
    And the third run has abandoned
    And the fourth run asked the CLI to resume the native id of the first run
    And the session of the fourth run remembers the prompt of the first run
    And the fourth run is recorded as resumed
    And the state directory of the issue is kept

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @clean-6
  Scenario Outline: A lease that ran out while the engine was down leaves the state
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI hangs before naming the session
    And the engine was killed and started again
    When 2 minutes pass
    And the reconciler sweeps
    Then the second run has abandoned
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the state directory of the issue is kept

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @clean-7
  Scenario Outline: Rows grow old and are deleted, the state does not
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And 31 days have passed
    When the reconciler sweeps
    Then the row of the first run is gone
    And what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @clean-7
  Scenario Outline: An issue whose rows have all grown too old begins afresh, beside what it had kept
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And 31 days have passed
    And the reconciler has swept
    When a ci_fix run of the issue is due
    Then the last run has succeeded
    And the last run is recorded as fresh because of no_prior_session
    And what was noted of the issue is as it was

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | copilot     |

  @clean-7
  Scenario Outline: Files that were last changed long ago are kept as long as the issue is open
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And 29 days have passed
    And the files of the issue are 90 days old
    And the reconciler has swept
    When a ci_fix run of the issue is due
    Then the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @clean-7
  Scenario: Another RETENTION_DAYS holds for rows, and for rows only
    Given an issue served by codex
    And RETENTION_DAYS is 5 for the whole instance
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And 6 days have passed
    When the reconciler sweeps
    Then the row of the first run is gone
    And what was noted of the issue is as it was, and nothing is added
