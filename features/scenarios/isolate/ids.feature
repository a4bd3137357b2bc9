Feature: Only what has the form of a native id is taken for one
  The id of a session ends up in a command line and in the database. What a CLI reports is shaped by what runs in its
  container, and rows can be tampered with; so whatever does not match the adapter's pattern as a whole is no id.

  # seen in: hermes-agent#54852, ultraworkers/claw-code#3243, entireio/external-agents#57, entireio/cli#2405
  # seen in: agent-of-empires#1772, agent-of-empires#1803, 2mawi2/schaltwerk#217, stoneforge-ai/stoneforge#117
  # seen in: stoneforge-ai/stoneforge#130
  @isolate-10
  Scenario Outline: A first run that reports something else has no id, and the next one begins afresh
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI reports <odd>
    When a development run of the issue is due
    Then the first run has succeeded
    And the first run has no native id on record
    And the second run has succeeded
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session
    And that id is in no argument, no environment, no mount and no row

    Examples:
      | adapter     | odd                                        |
      | claude-code | a UUID in capitals as its id               |
      | claude-code | a UUID with a line break as its id         |
      | claude-code | a UUID in other digits as its id           |
      | opencode    | a path as its id                           |

    Examples: more combinations
      | adapter     | odd                                        |
      | claude-code | a path as its id                           |
      | claude-code | an option as its id                        |
      | claude-code | shell words as its id                      |
      | claude-code | two lines as its id                        |
      | claude-code | ten thousand letters as its id             |
      | claude-code | an empty text as its id                    |
      | claude-code | a UUID with more behind it as its id       |
      | codex       | an absolute path as its id                 |
      | codex       | an option as its id                        |
      | codex       | a short option as its id                   |
      | codex       | two lines as its id                        |
      | codex       | an empty text as its id                    |
      | codex       | a word of prose as its id                  |
      | codex       | a UUID in capitals as its id               |
      | codex       | a UUID with a line break as its id         |
      | codex       | a UUID with a space before it as its id    |
      | codex       | a UUID without dashes as its id            |
      | opencode    | an option as its id                        |
      | opencode    | two lines as its id                        |
      | opencode    | ten thousand letters as its id             |
      | opencode    | an empty text as its id                    |
      | opencode    | a short opencode id as its id              |
      | opencode    | an opencode id with a line break as its id |
      | opencode    | an opencode id with an option as its id    |
      | copilot     | a path as its id                           |
      | copilot     | an option as its id                        |
      | copilot     | shell words as its id                      |
      | copilot     | an empty text as its id                    |
      | copilot     | a UUID in capitals as its id               |
      | copilot     | a UUID with a line break as its id         |
      | copilot     | a UUID with more behind it as its id       |

  @isolate-10
  Scenario Outline: The id of another kind of CLI is none
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI reports the id "<id>"
    When a development run of the issue is due
    Then the first run has succeeded
    And the first run has no native id on record
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session
    And no row holds the id "<id>"

    Examples:
      | adapter     | id                                   |
      | copilot     | ses_4f2aB7cD9eF0gH1iJ2kL3mN4o5       |

    Examples: more combinations
      | adapter     | id                                   |
      | claude-code | ses_4f2aB7cD9eF0gH1iJ2kL3mN4o5       |
      | codex       | ses_4f2aB7cD9eF0gH1iJ2kL3mN4o5       |
      | opencode    | 0199a213-81c0-7800-8aa1-bbab2a035a53 |

  @isolate-10
  Scenario Outline: A resumed run that reports something else does not put it in place of the id that there is
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI reports <odd>
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run has no native id on record
    And the third run asked the CLI to resume the native id of the first run
    And that id is in no argument, no environment, no mount and no row

    Examples:
      | adapter     | odd                                        |
      | claude-code | an option as its id                        |

    Examples: more combinations
      | adapter     | odd                                        |
      | claude-code | a path as its id                           |
      | claude-code | a UUID with a line break as its id         |
      | codex       | an option as its id                        |
      | codex       | an empty text as its id                    |
      | codex       | a UUID in capitals as its id               |
      | opencode    | a path as its id                           |
      | opencode    | an opencode id with a line break as its id |
      | opencode    | an opencode id with an option as its id    |
      | copilot     | an option as its id                        |
      | copilot     | two lines as its id                        |
      | copilot     | a UUID with more behind it as its id       |

  # seen in: hermes-agent#54852, ultraworkers/claw-code#3243, entireio/external-agents#57, entireio/cli#2405
  @isolate-10
  Scenario Outline: A stored text that is no id is treated as none
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And the row of the first run was tampered with to hold <odd>
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the second run did not ask the CLI to resume anything
    And the second run is recorded as fresh because of no_prior_session
    And that id is in no argument, no environment and no mount

    Examples:
      | adapter     | odd                                        |
      | codex       | an absolute path as its id                 |

    Examples: more combinations
      | adapter     | odd                                        |
      | claude-code | a path as its id                           |
      | claude-code | shell words as its id                      |
      | claude-code | ten thousand letters as its id             |
      | claude-code | a UUID in capitals as its id               |
      | claude-code | a UUID with more behind it as its id       |
      | codex       | a short option as its id                   |
      | codex       | an empty text as its id                    |
      | codex       | a UUID in capitals as its id               |
      | codex       | a UUID with a space before it as its id    |
      | opencode    | a path as its id                           |
      | opencode    | two lines as its id                        |
      | opencode    | an empty text as its id                    |
      | opencode    | an opencode id with a line break as its id |
      | copilot     | a path as its id                           |
      | copilot     | shell words as its id                      |
      | copilot     | a UUID in capitals as its id               |
      | copilot     | a UUID with more behind it as its id       |

  @isolate-10
  Scenario Outline: Behind a stored text that is no id, the id of an earlier run is found
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    And the row of the second run was tampered with to hold <odd>
    When a review_fix run of the issue is due
    Then the third run asked the CLI to resume the native id of the first run
    And the third run is recorded as resumed
    And that id is in no argument, no environment and no mount

    Examples:
      | adapter     | odd                                        |
      | opencode    | a path as its id                           |

    Examples: more combinations
      | adapter     | odd                                        |
      | claude-code | a path as its id                           |
      | claude-code | an option as its id                        |
      | claude-code | a UUID with a line break as its id         |
      | codex       | an option as its id                        |
      | codex       | an empty text as its id                    |
      | codex       | a UUID in capitals as its id               |
      | opencode    | an opencode id with a line break as its id |
      | opencode    | an opencode id with an option as its id    |
      | copilot     | an option as its id                        |
      | copilot     | two lines as its id                        |
      | copilot     | a UUID with more behind it as its id       |

  # seen in: agent-of-empires#1772, agent-of-empires#1803, 2mawi2/schaltwerk#217, stoneforge-ai/stoneforge#117
  @resume-9
  Scenario Outline: An id that the model talks of is not the id of its session
    Given an issue served by <adapter>
    And an analysis run of the issue in which the CLI answers in prose about another session
    When a development run of the issue is due
    Then the native id on record for the first run is the one of the session that the CLI served
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed
    And no row holds the id "management"

    Examples:
      | adapter     |
      | claude-code |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
