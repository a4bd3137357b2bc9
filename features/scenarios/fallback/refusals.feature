Feature: A refused resume is followed by exactly one fresh start in the same run
  The CLI itself says that it cannot resume. The engine recognises the words and the shape of that, starts the CLI once
  more as it would for a first run, and believes nothing that the refusing start said of a session.

  @fallback-6
  Scenario Outline: A refusal leads to one more start, which is fresh
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 2 times in the second run
    And the last start of the second run has nothing of the session that was refused
    And the session of the second run remembers nothing
    And the second run is recorded as fresh because of refused
    And the native id on record for the second run is the one of the session that the CLI served
    And there are 2 runs of the issue

    Examples: every phase
      | adapter     | phase               |
      | claude-code | analysis            |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | development         |
      | codex       | ci_fix              |
      | opencode    | review_fix          |
      | copilot     | answer              |
      | claude-code | ci_fix              |
      | claude-code | review_fix          |
      | claude-code | conflict_resolution |
      | claude-code | answer              |
      | codex       | conflict_resolution |
      | opencode    | development         |
      | copilot     | analysis            |

  # seen in: multica-ai/multica#1284
  @fallback-6
  Scenario Outline: A CLI that names a new session while it refuses has refused all the same
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after naming a decoy
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 2 times in the second run
    And the second run is recorded as fresh because of refused
    And the native id on record for the second run is the one of the session that the CLI served

    Examples:
      | adapter     | phase               |
      | codex       | ci_fix              |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | development         |
      | claude-code | conflict_resolution |
      | codex       | answer              |

  @fallback-6
  Scenario Outline: A fresh start that fails as well is not followed by a third one
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it <failure>
    When a <phase> run of the issue is due
    Then the second run has failed
    And the CLI was started 2 times in the second run
    And there are 2 runs of the issue

    Examples:
      | adapter     | failure                                     | phase               |
      | opencode    | fails with a text about something not found | conflict_resolution |

    Examples: more combinations
      | adapter     | failure                                     | phase               |
      | claude-code | refuses a new id as taken                   | development         |
      | claude-code | fails with a text about something not found | ci_fix              |
      | codex       | fails with a text about something not found | review_fix          |
      | codex       | refuses its arguments                       | answer              |
      | opencode    | fails without a word                        | analysis            |
      | copilot     | refuses a new id as taken                   | development         |
      | copilot     | fails without a word                        | ci_fix              |

  @fallback-6
  Scenario Outline: The refused container is gone before the fresh one starts
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after 2 minutes, and at the one after it answers after 2 minutes
    When a development run of the issue is due
    And 5 minutes pass
    Then the second run has succeeded
    And the container of the first start of the second run was gone before the second one started
    And at no time did two containers of the issue run at once

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @fallback-6
  Scenario Outline: A session that a fallback created can be refused in its turn
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI refuses the session
    And at its next start the CLI refuses the session
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the CLI was started 2 times in the third run
    And the third run is recorded as fresh because of refused
    And the second and the third run have different native ids on record

    Examples:
      | adapter     | phase      |
      | claude-code | ci_fix     |

    Examples: more combinations
      | adapter     | phase      |
      | codex       | review_fix |
      | opencode    | answer     |
      | copilot     | ci_fix     |

  @fallback-13
  Scenario Outline: State that the CLI finds damaged is no reason to give up
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI finds the session damaged
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 2 times in the second run
    And the session of the second run remembers nothing
    And the second run is recorded as fresh because of refused
    And the native id on record for the second run is the one of the session that the CLI served

    Examples: every adapter
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | opencode    | review_fix  |
      | copilot     | answer      |

    Examples: more combinations
      | adapter  | phase               |
      | opencode | analysis            |
      | opencode | development         |
      | opencode | ci_fix              |
      | opencode | conflict_resolution |
      | opencode | answer              |

  # seen in: github/copilot-cli#1864
  # seen in: MoonLadderStudios/MoonMind#2212
  @fallback-13
  Scenario Outline: A half-written transcript leads to a fresh session
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <damage>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of refused
    And the session of the second run remembers nothing
    And the native id on record for the second run is the one of the session that the CLI served

    Examples:
      | adapter     | damage                                                     | phase       |
      | opencode    | the transcript of the issue was overwritten with zero bytes | review_fix  |

    Examples: more combinations
      | adapter     | damage                                                     | phase       |
      | claude-code | the transcript of the issue was overwritten with zero bytes | development |
      | codex       | the transcript of the issue was overwritten with zero bytes | ci_fix      |
      | claude-code | the transcript of the issue was cut off in its first line   | answer      |
      | codex       | the transcript of the issue was cut off in its first line   | development |
      | opencode    | the transcript of the issue was cut off in its first line   | ci_fix      |
      | claude-code | the transcript of the issue was emptied                     | review_fix  |
      | codex       | the transcript of the issue was emptied                     | answer      |
      | opencode    | the transcript of the issue was emptied                     | development |
      | copilot     | the transcript of the issue was emptied                     | ci_fix      |

  # seen in: github/copilot-cli#2217
  @isolate-13
  Scenario Outline: A damaged transcript is neither repaired nor moved out of the way
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <damage>
    And the files of the issue are noted
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And every file that was noted of the issue is still as it was

    Examples:
      | adapter     | damage                                                     | phase       |
      | codex       | the transcript of the issue was cut off in its first line   | development |

    Examples: more combinations
      | adapter     | damage                                                     | phase       |
      | claude-code | the transcript of the issue was overwritten with zero bytes | development |
      | codex       | the transcript of the issue was overwritten with zero bytes | ci_fix      |
      | opencode    | the transcript of the issue was overwritten with zero bytes | review_fix  |
      | claude-code | the transcript of the issue was cut off in its first line   | answer      |
      | opencode    | the transcript of the issue was cut off in its first line   | ci_fix      |
      | copilot     | the transcript of the issue was emptied                     | ci_fix      |

  @fallback-14
  Scenario Outline: The next run resumes the session that a fallback created
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And <cause>
    And a <first> run of the issue has ended
    When a <phase> run of the issue is due
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the session of the third run remembers the prompt of the second run
    And the third run is recorded as resumed

    Examples: after a change of the adapter
      | adapter     | cause                                | first       | phase               |
      | copilot     | the project was bound to claude-code | ci_fix      | conflict_resolution |

    Examples: after a refusal, and after a loss of state
      | adapter  | cause                                         | first       | phase       |
      | codex    | at its next start the CLI refuses the session | answer      | development |
      | opencode | the state directory of the issue was removed  | development | answer      |

    Examples: more combinations
      | adapter     | cause                                         | first       | phase               |
      | claude-code | at its next start the CLI refuses the session | development | ci_fix              |
      | opencode    | at its next start the CLI refuses the session | development | review_fix          |
      | copilot     | at its next start the CLI refuses the session | ci_fix      | answer              |
      | opencode    | at its next start the CLI refuses the session | development | analysis            |
      | opencode    | at its next start the CLI refuses the session | development | development         |
      | opencode    | at its next start the CLI refuses the session | development | ci_fix              |
      | opencode    | at its next start the CLI refuses the session | development | conflict_resolution |
      | opencode    | at its next start the CLI refuses the session | development | answer              |

    Examples: more combinations
      | adapter     | cause                                               | first       | phase      |
      | claude-code | at its next start the CLI finds the session damaged | development | ci_fix     |
      | codex       | at its next start the CLI finds the session damaged | development | ci_fix     |
      | opencode    | at its next start the CLI finds the session damaged | development | ci_fix     |
      | copilot     | at its next start the CLI finds the session damaged | development | review_fix |

    Examples: more combinations
      | adapter     | cause                                         | first       | phase       |
      | claude-code | the state directory of the issue was removed  | answer      | development |
      | codex       | the state directory of the issue was emptied  | development | review_fix  |
      | copilot     | the state directory of the issue was emptied  | ci_fix      | ci_fix      |

    Examples: more combinations
      | adapter     | cause                                | first       | phase               |
      | claude-code | the project was bound to codex       | development | ci_fix              |
      | codex       | the project was bound to opencode    | answer      | development         |
      | opencode    | the project was bound to copilot     | development | review_fix          |

  @fallback-14
  Scenario Outline: The session that a fallback created is resumed also where its first run failed
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session, and at the one after it is rate limited
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the third run is recorded as resumed

    Examples:
      | adapter     | phase       |
      | copilot     | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | codex       | ci_fix      |
      | opencode    | review_fix  |

  # seen in: anomalyco/opencode#27559
  # seen in: multica-ai/multica#1284
  @fallback-16
  Scenario Outline: A refusal is recognised in each of the shapes that a CLI gives it, whatever the exit code
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <refusal>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 2 times in the second run
    And the second run is recorded as fresh because of refused
    And the session of the second run remembers nothing

    Examples: every shape of every adapter
      | adapter     | refusal                                  | phase               |
      | claude-code | refuses the session after naming a decoy | development         |
      | codex       | refuses the session                      | conflict_resolution |
      | codex       | finds the session damaged                | analysis            |
      | opencode    | refuses the session with exit code 0     | ci_fix              |
      | opencode    | says nothing and exits with 0            | review_fix          |
      | copilot     | refuses the session                      | answer              |
      | claude-code | refuses the session with exit code 0     | ci_fix              |

    Examples: more combinations
      | adapter     | refusal                                    | phase               |
      | claude-code | refuses the session                        | analysis            |
      | claude-code | finds the session damaged                  | review_fix          |
      | codex       | refuses the session after naming a decoy   | answer              |
      | opencode    | refuses the session                        | development         |
      | opencode    | finds the session damaged                  | conflict_resolution |
      | copilot     | finds the session damaged                  | analysis            |

    Examples: more combinations
      | adapter     | refusal                              | phase               |
      | opencode    | says nothing and exits with 0        | analysis            |
      | opencode    | says nothing and exits with 0        | development         |
      | opencode    | says nothing and exits with 0        | ci_fix              |
      | opencode    | says nothing and exits with 0        | conflict_resolution |
      | opencode    | says nothing and exits with 0        | answer              |
      | opencode    | refuses the session with exit code 0 | answer              |
      | claude-code | refuses the session with exit code 0 | development         |

  @fallback-16
  Scenario Outline: An answer that talks of sessions not found is an answer and no refusal
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI answers <words>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | words                                                                            | phase       |
      | claude-code | "Failed to resume session is what users saw."                                     | ci_fix      |
      | copilot     | "No session, task, or name matched was the text to translate."                    | review_fix  |

    Examples: more combinations
      | adapter     | words                                                                            | phase       |
      | claude-code | "The log says: No conversation found with session ID: 1. I fixed the test."       | development |
      | codex       | "thread/resume failed: no rollout found for thread id 1 is now handled."          | review_fix  |
      | codex       | "The error was thread/resume failed: thread not loaded."                          | answer      |
      | opencode    | "Session not found and NotFoundError are now told apart."                         | development |
      | opencode    | "database disk image is malformed, says the log, and file is not a database."     | ci_fix      |
      | copilot     | "A session was found but could not be loaded; I added a test."                    | answer      |

  # seen in: multica-ai/multica#1284
  @fallback-17
  Scenario Outline: An id that was named while refusing is nowhere on record
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after naming a decoy
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And no row holds an id that a refused start reported
    And no start after the refusal in the second run was given an id that the refusal named
    And the native id on record for the second run is the one of the session that the CLI served

    Examples:
      | adapter     | phase               |
      | claude-code | answer              |

    Examples: more combinations
      | adapter     | phase               |
      | claude-code | analysis            |
      | claude-code | ci_fix              |
      | codex       | development         |
      | codex       | conflict_resolution |

  @fallback-17
  Scenario Outline: An id that was named while refusing is not on record while the run lasts
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session after naming a decoy, and at the one after it hangs before naming the session
    When a <phase> run of the issue is due
    Then the second run is live
    And the CLI was started 2 times in the second run
    And the second run has no native id on record
    And no row holds an id that a refused start reported

    Examples:
      | adapter     | phase       |
      | codex       | answer      |

    Examples: more combinations
      | adapter     | phase       |
      | claude-code | development |
      | claude-code | review_fix  |
      | codex       | ci_fix      |

  @fallback-17
  Scenario Outline: A refusal, and a fresh start that dies without naming its session, leave no id behind
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And at its next start the CLI <refusal>, and at the one after it is killed before naming the session
    When a <phase> run of the issue is due
    And 60 seconds pass
    Then the second run has failed
    And the second run has no native id on record
    And no row holds an id that a refused start reported
    And the third run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | refusal                                  | phase       |
      | claude-code | refuses the session with exit code 0     | ci_fix      |

    Examples: more combinations
      | adapter     | refusal                                  | phase       |
      | claude-code | refuses the session after naming a decoy | development |
      | codex       | refuses the session after naming a decoy | answer      |

  # seen in: sandsaber/Grimoire#99
  @fallback-19
  Scenario Outline: The fresh start of a refused run is what a first run of that phase would be
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And a <phase> run of the twin issue has ended
    And an analysis run of the issue has ended
    And at its next start the CLI <refusal>
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the last start of the second run has nothing of the session that was refused
    And the arguments of the last start of the second run are those that the twin issue got afresh in the same phase
    And the last start of the second run has the prompt that the twin issue got in the same phase

    Examples: every adapter
      | adapter     | refusal                                  | phase       |
      | claude-code | refuses the session                      | ci_fix      |
      | opencode    | finds the session damaged                | review_fix  |

    Examples: more combinations
      | adapter     | refusal                                  | phase       |
      | claude-code | refuses the session after naming a decoy | development |
      | claude-code | refuses the session with exit code 0     | review_fix  |
      | codex       | refuses the session                      | ci_fix      |
      | codex       | refuses the session after naming a decoy | answer      |
      | opencode    | refuses the session                      | ci_fix      |
      | opencode    | says nothing and exits with 0            | development |
      | copilot     | refuses the session                      | ci_fix      |
      | copilot     | finds the session damaged                | answer      |

    Examples: more combinations
      | adapter     | refusal             | phase               |
      | claude-code | refuses the session | analysis            |
      | claude-code | refuses the session | development         |
      | claude-code | refuses the session | review_fix          |
      | claude-code | refuses the session | conflict_resolution |
      | claude-code | refuses the session | answer              |
      | codex       | refuses the session | analysis            |
      | opencode    | refuses the session | conflict_resolution |
      | copilot     | refuses the session | review_fix          |

  @fallback-19
  Scenario Outline: The fresh start of a run that cannot resume is what a first run of that phase would be
    Given an issue served by <adapter>
    And a twin issue of the same title in the same project
    And an analysis run of the issue has ended
    And <loss>
    And a <phase> run of the twin issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the arguments of the last start of the second run are those that the twin issue got afresh in the same phase
    And the last start of the second run has the prompt that the twin issue got in the same phase

    Examples:
      | adapter     | loss                                                     | phase       |
      | claude-code | the state directory of the issue was removed             | development |
      | copilot     | the project was bound to claude-code                     | answer      |
      | opencode    | a new image of opencode with version 1.3.2 was installed | development |

    Examples: more combinations
      | adapter     | loss                                                          | phase               |
      | codex       | the state directory of the issue was removed                  | ci_fix              |
      | opencode    | the state directory of the issue was removed                  | review_fix          |
      | copilot     | the state directory of the issue was removed                  | answer              |
      | claude-code | a new image of claude-code with version 1.0.100 was installed | conflict_resolution |
      | codex       | a new image of codex with version 0.100.0 was installed       | analysis            |
      | copilot     | a new image of copilot with version 1.0.24 was installed      | ci_fix              |
      | claude-code | the project was bound to copilot                              | review_fix          |
