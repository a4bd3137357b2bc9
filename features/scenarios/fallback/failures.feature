Feature: An ordinary failure of a resumed run is never a fallback
  Providers have limits and bad days, processes are killed, and a CLI can fail for reasons of its own. None of that says
  that the session is gone. The run has failed as any other, it is tried again in the usual way, and the retry asks for
  the same session again.

  # seen in: arcboxlabs/linkcode#154
  # seen in: nexu-io/open-design#4608
  # seen in: simion/termic#94
  @fallback-12
  Scenario Outline: A failure of any kind is retried in the usual way and asks for the same session again
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI <failure>
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then there are 3 runs of the issue
    And the second run has failed
    And the CLI was started 1 time in the second run
    And the second run asked the CLI to resume the native id of the first run
    And the third run has failed
    And the CLI was started 1 time in the third run
    And the third run asked the CLI to resume the native id of the first run
    And the issue has an LLM retry counter of 2

    Examples: every failure of every adapter
      | adapter     | failure                                     | phase               |
      | claude-code | is not authorised                           | development         |
      | claude-code | fails with a general error                  | ci_fix              |
      | codex       | has its history rejected                    | review_fix          |
      | codex       | is killed before naming the session         | analysis            |
      | codex       | refuses its arguments                       | review_fix          |
      | opencode    | is rate limited                             | conflict_resolution |
      | copilot     | gets a server error                         | answer              |
      | copilot     | fails with a text about something not found | analysis            |
      | opencode    | fails with a general error                  | analysis            |
      | copilot     | fails with a general error                  | answer              |
      | codex       | fails with a general error                  | development         |

    Examples: more combinations
      | adapter     | failure                                     | phase               |
      | claude-code | is rate limited                             | analysis            |
      | claude-code | gets a server error                         | ci_fix              |
      | claude-code | fails with a text about something not found | review_fix          |
      | claude-code | has its history rejected                    | conflict_resolution |
      | claude-code | finds the history too long                  | answer              |
      | claude-code | is killed after naming the session          | analysis            |
      | claude-code | is killed before naming the session         | development         |
      | claude-code | fails without a word                        | review_fix          |
      | claude-code | refuses its arguments                       | conflict_resolution |
      | codex       | is rate limited                             | answer              |
      | codex       | is not authorised                           | analysis            |
      | codex       | gets a server error                         | development         |
      | codex       | fails with a text about something not found | ci_fix              |
      | codex       | finds the history too long                  | conflict_resolution |
      | codex       | is killed after naming the session          | answer              |
      | codex       | fails without a word                        | ci_fix              |
      | opencode    | is not authorised                           | answer              |
      | opencode    | gets a server error                         | analysis            |
      | opencode    | fails with a text about something not found | development         |
      | opencode    | has its history rejected                    | ci_fix              |
      | opencode    | finds the history too long                  | review_fix          |
      | opencode    | is killed after naming the session          | conflict_resolution |
      | opencode    | is killed before naming the session         | answer              |
      | opencode    | fails without a word                        | development         |
      | opencode    | refuses its arguments                       | ci_fix              |
      | copilot     | is rate limited                             | review_fix          |
      | copilot     | has its history rejected                    | development         |
      | copilot     | finds the history too long                  | ci_fix              |
      | copilot     | is killed after naming the session          | review_fix          |
      | copilot     | is killed before naming the session         | conflict_resolution |
      | copilot     | is not authorised                           | conflict_resolution |
      | copilot     | fails without a word                        | analysis            |
      | copilot     | refuses its arguments                       | development         |

    Examples: more combinations
      | adapter | failure         | phase               |
      | codex   | is rate limited | analysis            |
      | codex   | is rate limited | development         |
      | codex   | is rate limited | ci_fix              |
      | codex   | is rate limited | review_fix          |
      | codex   | is rate limited | conflict_resolution |

  @fallback-12
  Scenario Outline: A failure after another session was named is an ordinary one as well
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next 2 starts the CLI <failure>
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then there are 3 runs of the issue
    And the second run has failed
    And the CLI was started 1 time in the second run
    And the third run has failed
    And the CLI was started 1 time in the third run
    And the issue has an LLM retry counter of 2

    Examples:
      | adapter     | failure                               | phase               |
      | claude-code | names two sessions and fails          | development         |

    Examples: more combinations
      | adapter     | failure                               | phase               |
      | claude-code | starts a session of its own and fails | analysis            |
      | codex       | starts a session of its own and fails | review_fix          |
      | codex       | names two sessions and fails          | conflict_resolution |
      | opencode    | starts a session of its own and fails | analysis            |
      | opencode    | names two sessions and fails          | development         |
      | copilot     | starts a session of its own and fails | review_fix          |
      | copilot     | names two sessions and fails          | conflict_resolution |

  @fallback-12
  Scenario Outline: The session goes on once the trouble is over
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <failure>
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And the session of the third run remembers the prompt of the first run
    And the third run is recorded as resumed
    And the first and the third run have the same native id on record

    Examples:
      | adapter     | failure                                     | phase               |
      | codex       | refuses its arguments                       | ci_fix              |

    Examples: more combinations
      | adapter     | failure                                     | phase               |
      | claude-code | is rate limited                             | development         |
      | claude-code | fails with a text about something not found | ci_fix              |
      | claude-code | is killed before naming the session         | answer              |
      | codex       | is not authorised                           | review_fix          |
      | codex       | fails with a text about something not found | development         |
      | opencode    | gets a server error                         | conflict_resolution |
      | opencode    | is killed after naming the session          | answer              |
      | opencode    | fails without a word                        | development         |
      | copilot     | is rate limited                             | analysis            |
      | copilot     | fails without a word                        | review_fix          |
      | copilot     | fails with a text about something not found | answer              |

  @fallback-12
  Scenario Outline: A run that used up its time is retried in the usual way and asks for the same session again
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI hangs <when> the session
    When a <phase> run of the issue is due
    And 31 minutes pass
    Then the second run has timed_out
    And the CLI was started 1 time in the second run
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the first run
    And there are 3 runs of the issue

    Examples:
      | adapter     | when          | phase               |
      | opencode    | before naming | development         |

    Examples: more combinations
      | adapter     | when          | phase               |
      | claude-code | after naming  | analysis            |
      | claude-code | before naming | review_fix          |
      | codex       | after naming  | ci_fix              |
      | codex       | before naming | answer              |
      | opencode    | after naming  | conflict_resolution |
      | copilot     | after naming  | analysis            |
      | copilot     | before naming | review_fix          |

  @fallback-12
  Scenario Outline: A failed resume waits for as long as any failed run before it is tried again
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <failure>
    When a <phase> run of the issue is due
    And 59 seconds pass
    Then there are 2 runs of the issue
    And the second run has failed
    And the issue has an LLM retry counter of 1

    Examples:
      | adapter     | failure                             | phase       |
      | opencode    | fails without a word                | answer      |

    Examples: more combinations
      | adapter     | failure                             | phase       |
      | claude-code | is rate limited                     | development |
      | codex       | is killed before naming the session | ci_fix      |
      | copilot     | fails with a general error          | review_fix  |

  @fallback-16
  Scenario Outline: Words of a provider that sound like a refusal are none
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <failure>
    When a <phase> run of the issue is due
    Then the second run has failed
    And the CLI was started 1 time in the second run
    And there are 2 runs of the issue

    Examples:
      | adapter     | failure                                     | phase               |
      | claude-code | fails with a text about something not found | development         |

    Examples: more combinations
      | adapter     | failure                                     | phase               |
      | claude-code | finds the history too long                  | review_fix          |
      | claude-code | fails without a word                        | answer              |
      | codex       | fails with a text about something not found | ci_fix              |
      | codex       | finds the history too long                  | conflict_resolution |
      | codex       | fails without a word                        | analysis            |
      | opencode    | fails with a text about something not found | review_fix          |
      | opencode    | finds the history too long                  | answer              |
      | opencode    | fails without a word                        | development         |
      | copilot     | fails with a text about something not found | conflict_resolution |
      | copilot     | finds the history too long                  | analysis            |
      | copilot     | fails without a word                        | ci_fix              |

  @fallback-16
  Scenario Outline: A run that asked for nothing cannot be refused
    Given an issue served by <adapter>
    And at its next start the CLI <failure>
    When an analysis run of the issue is due
    Then the first run has failed
    And the CLI was started 1 time in the first run
    And the first run is recorded as fresh because of no_prior_session

    Examples:
      | adapter     | failure                                     |
      | claude-code | refuses a new id as taken                   |

    Examples: more combinations
      | adapter     | failure                                     |
      | claude-code | fails with a text about something not found |
      | codex       | fails with a text about something not found |
      | codex       | fails without a word                        |
      | opencode    | fails without a word                        |
      | opencode    | fails with a text about something not found |
      | copilot     | refuses a new id as taken                   |
      | copilot     | fails without a word                        |
