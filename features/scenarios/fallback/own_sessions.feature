Feature: Work that a CLI did in another session than the asked one is kept and not repeated
  Some CLIs answer a resume with a session of their own, or do not say which one it was. The work has been done then, with
  the whole prompt, and is not done again; what was recorded of it decides what the next run asks for.

  # seen in: Archon#1842
  # seen in: OpenHands/software-agent-sdk#2869
  @fallback-16
  Scenario Outline: Work that was done without a confirmed session is not done twice
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <behaviour>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run

    Examples:
      | adapter     | behaviour                   | phase               |
      | codex       | starts a session of its own | ci_fix              |

    Examples: more combinations
      | adapter     | behaviour                   | phase               |
      | claude-code | starts a session of its own | analysis            |
      | claude-code | names no session            | development         |
      | claude-code | names two sessions          | ci_fix              |
      | claude-code | reports the id "management" | review_fix          |
      | codex       | names no session            | review_fix          |
      | codex       | names two sessions          | conflict_resolution |
      | codex       | reports the id "management" | answer              |
      | opencode    | starts a session of its own | conflict_resolution |
      | opencode    | names no session            | answer              |
      | opencode    | names two sessions          | analysis            |
      | opencode    | reports the id "management" | development         |
      | copilot     | starts a session of its own | analysis            |
      | copilot     | names no session            | development         |
      | copilot     | names two sessions          | ci_fix              |
      | copilot     | reports the id "management" | review_fix          |

  @resume-11
  Scenario Outline: Something that is no id proves no resume
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI reports the id <reported>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of refused
    And the second run has no native id on record

    Examples:
      | adapter     | reported     | phase       |
      | opencode    | "--yolo"     | answer      |

    Examples: more combinations
      | adapter     | reported     | phase       |
      | claude-code | "management" | development |
      | codex       | "../../x"    | ci_fix      |
      | copilot     | "a;b"        | review_fix  |

  @resume-11
  Scenario Outline: A run that used up its time before its CLI could name the session claims nothing
    Given an issue served by copilot
    And an analysis run of the issue has ended
    And at its next start the CLI hangs after naming the session
    When a <phase> run of the issue is due
    And 30 minutes pass
    Then the second run has timed_out
    And the second run is recorded as neither resumed nor a fallback
    And the second run has no native id on record

    Examples:
      | phase       |
      | development |

    Examples: more combinations
      | phase       |
      | answer      |

  @fallback-14
  Scenario Outline: A session that the CLI made of its own is the one that the next run resumes
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI starts a session of its own
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed

    Examples:
      | adapter  | phase      |
      | opencode | review_fix |

    Examples: more combinations
      | adapter  | phase      |
      | codex    | ci_fix     |
      | copilot  | answer     |
