Feature: One run at a time has the session of an issue
  Two runs on one session spoil it. A second event waits until the first run has ended, and a worker that was taken for
  dead and wakes up late changes nothing any more.

  @resume-13
  Scenario Outline: A second event waits while a run of the issue lasts
    Given an issue served by <adapter>
    And a <first> run of the issue in which the CLI <behaves>
    When a <second> run of the issue is due
    Then the first run is live
    And there is 1 run of the issue
    And the CLI was started 1 time for the issue

    Examples:
      | adapter     | behaves                         | first               | second              |
      | grok-build  | hangs before naming the session | analysis            | development         |

    Examples: more combinations
      | adapter     | behaves                         | first               | second              |
      | claude-code | hangs after naming the session  | analysis            | analysis            |
      | claude-code | hangs after naming the session  | analysis            | answer              |
      | claude-code | hangs before naming the session | development         | ci_fix              |
      | claude-code | hangs before naming the session | ci_fix              | review_fix          |
      | codex       | hangs after naming the session  | review_fix          | conflict_resolution |
      | codex       | hangs before naming the session | answer              | development         |
      | opencode    | hangs after naming the session  | conflict_resolution | ci_fix              |
      | opencode    | hangs before naming the session | development         | development         |
      | copilot     | hangs after naming the session  | analysis            | development         |
      | copilot     | hangs before naming the session | review_fix          | answer              |

  @resume-13
  Scenario Outline: The run that had to wait begins when the first has ended, and resumes its session
    Given an issue served by <adapter>
    And a <first> run of the issue in which the CLI hangs after naming the session
    When a <second> run of the issue is due
    And the CLI goes on to its end
    Then there are 2 runs of the issue
    And the first run has succeeded
    And the second run has succeeded
    And no two containers of the issue ran at the same time
    And the second run asked the CLI to resume the native id of the first run
    And the session of the second run remembers the prompt of the first run

    Examples:
      | adapter     | first       | second      |
      | opencode    | answer      | review_fix  |

    Examples: more combinations
      | adapter     | first       | second      |
      | claude-code | analysis    | development |
      | claude-code | development | answer      |
      | codex       | analysis    | development |
      | codex       | development | ci_fix      |
      | opencode    | analysis    | development |
      | copilot     | analysis    | development |
      | copilot     | ci_fix      | answer      |

  @resume-13
  Scenario Outline: Events of the merge request wait as well
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a <phase> run of the issue in which the CLI hangs after naming the session
    When the agent's merge request reports <event>
    Then the second run is live
    And there are 2 runs of the issue
    And the CLI was started 2 times for the issue

    Examples:
      | adapter     | phase               | event             |
      | opencode    | conflict_resolution | a conflict        |

    Examples: more combinations
      | adapter     | phase               | event             |
      | claude-code | answer              | a review          |
      | claude-code | review_fix          | a failed pipeline |
      | codex       | ci_fix              | a failed pipeline |
      | codex       | answer              | a conflict        |
      | opencode    | ci_fix              | a review          |
      | copilot     | review_fix          | a review          |
      | copilot     | ci_fix              | a conflict        |

  @resume-13
  Scenario Outline: Several events wait for their turn, one after the other
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a ci_fix run of the issue in which the CLI hangs after naming the session
    And the agent's merge request reported a review
    And the agent's merge request reported a conflict
    When an answer run of the issue is due
    And the CLI goes on to its end
    Then there are 5 runs of the issue
    And the last run has succeeded
    And no two containers of the issue ran at the same time
    And every run of the issue after the first asked the CLI to resume the session of the run before it

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @resume-13
  Scenario Outline: A retry waits while another run of the issue lasts
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And an analysis run of the issue in which the CLI is rate limited
    And a development run of the issue in which the CLI hangs after naming the session
    When 5 minutes pass
    Then the third run is live
    And there are 3 runs of the issue
    And the CLI was started 3 times for the issue

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @resume-13
  Scenario Outline: A run that takes its time is not joined by another
    Given an issue served by <adapter>
    And at its next start the CLI answers after 20 minutes
    And a development run of the issue in which the CLI answers
    When 10 minutes pass
    And an answer run of the issue is due
    And 15 minutes pass
    Then there are 2 runs of the issue
    And the first run has succeeded
    And the second run has succeeded
    And no two containers of the issue ran at the same time

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @resume-13
  Scenario Outline: A run that an engine left behind is over before the next one begins
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI hangs after naming the session
    And the engine was killed and started again
    When an answer run of the issue is due
    And 5 minutes pass
    Then the second run is abandoned
    And the last run has succeeded
    And no two containers of the issue ran at the same time

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  # seen in: aegra/aegra#502, brendanlong/lion-reader#917, bobmatnyc/trusty-tools#2867
  @resume-14
  Scenario Outline: A worker that wakes up after its lease was reclaimed changes nothing
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a <phase> run of the issue in which the CLI <behaves>
    And the lease of the issue has expired
    And everything is noted
    And the mailbox of the issue is noted
    When the worker that had the issue wakes up
    Then the second run is abandoned
    And the third run has succeeded
    And no row has changed since
    And the mailbox of the issue is as it was noted
    And nothing was written to the tracker since, and no container was started

    Examples:
      | adapter     | phase       | behaves                         |
      | claude-code | analysis    | hangs after naming the session  |

    Examples: more combinations
      | adapter     | phase       | behaves                         |
      | claude-code | development | hangs before naming the session |
      | codex       | development | hangs after naming the session  |
      | codex       | ci_fix      | hangs before naming the session |
      | opencode    | review_fix  | hangs after naming the session  |
      | opencode    | answer      | hangs before naming the session |
      | copilot     | development | hangs after naming the session  |
      | copilot     | ci_fix      | hangs before naming the session |

  # seen in: aegra/aegra#547, patibandlavenkatamanideep/memoryops-ai#111
  @resume-14
  Scenario Outline: A late worker does not disturb the run that took its place
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <first>, and at the one after it <second>
    And a development run of the issue in which the CLI answers
    And the lease of the issue has expired
    And everything is noted
    And the mailbox of the issue is noted
    When the worker that had the issue wakes up
    Then the second run is abandoned
    And the third run is live
    And no row has changed since
    And the mailbox of the issue is as it was noted
    And nothing was written to the tracker since, and no container was started

    Examples:
      | adapter     | first                           | second                          |
      | opencode    | hangs after naming the session  | hangs after naming the session  |

    Examples: more combinations
      | adapter     | first                           | second                          |
      | claude-code | hangs after naming the session  | hangs after naming the session  |
      | claude-code | hangs before naming the session | hangs after naming the session  |
      | codex       | hangs after naming the session  | hangs before naming the session |
      | codex       | hangs before naming the session | hangs after naming the session  |
      | copilot     | hangs before naming the session | hangs before naming the session |

  # seen in: aegra/aegra#502, brendanlong/lion-reader#917
  @resume-14
  Scenario Outline: After a late worker the next run resumes what its successor recorded
    Given an issue served by <adapter>
    And a development run of the issue in which the CLI <behaves>
    And the lease of the issue has expired
    And the state directory of the issue was removed
    And a ci_fix run of the issue has ended
    When the worker that had the issue wakes up
    And a review_fix run of the issue is due
    Then the fourth run has succeeded
    And the third run is recorded as fresh because of state_missing
    And the fourth run asked the CLI to resume the native id of the third run
    And the session of the fourth run remembers the prompt of the third run
    And the issue has an LLM retry counter of 0

    Examples:
      | adapter     | behaves                         |
      | codex       | hangs after naming the session  |

    Examples: more combinations
      | adapter     | behaves                         |
      | claude-code | hangs after naming the session  |
      | opencode    | hangs after naming the session  |
      | copilot     | hangs before naming the session |

  # seen in: aegra/aegra#547, brendanlong/lion-reader#917
  @resume-14
  Scenario Outline: The work of a late worker is not done once more
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a <phase> run of the issue in which the CLI <behaves>
    And the lease of the issue has expired
    When the worker that had the issue wakes up
    And 10 minutes pass
    Then the second run is abandoned
    And the third run has succeeded
    And there are 3 runs of the issue

    Examples:
      | adapter     | phase       | behaves                         |
      | copilot     | review_fix  | hangs before naming the session |

    Examples: more combinations
      | adapter     | phase       | behaves                         |
      | claude-code | development | hangs after naming the session  |
      | codex       | analysis    | hangs after naming the session  |
      | opencode    | ci_fix      | hangs before naming the session |

  # seen in: aegra/aegra#502, bobmatnyc/trusty-tools#2867
  @resume-14
  Scenario Outline: A late worker does not free the issue for another run
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <first>, and at the one after it <second>
    And a development run of the issue in which the CLI answers
    And the lease of the issue has expired
    When the worker that had the issue wakes up
    And an answer run of the issue is due
    Then the second run is abandoned
    And the third run is live
    And there are 3 runs of the issue

    Examples:
      | adapter     | first                           | second                          |
      | claude-code | hangs before naming the session | hangs after naming the session  |

    Examples: more combinations
      | adapter     | first                           | second                          |
      | codex       | hangs after naming the session  | hangs after naming the session  |
      | opencode    | hangs after naming the session  | hangs before naming the session |
      | copilot     | hangs before naming the session | hangs before naming the session |
