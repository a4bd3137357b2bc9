Feature: The setting is on unless somebody turns it off, for an organization or for a project
  AGENT_SESSION_RESUME is a switch that an administrator can set for a whole organization and for a single project. It
  loses nothing: what was kept while it was on is there when it is turned on again, and goes when the issue ends.

  @off-1
  Scenario Outline: Where nothing is stored, a run has a session
    Given an issue served by <adapter>
    When an analysis run of the issue is due
    Then the first run mounts exactly its own state directory, read-write, at the session state path
    And the first run is recorded as fresh because of no_prior_session
    And the request of the first run has a session of that name, with nothing to resume
    And the value of AGENT_SESSION_RESUME at organization scope is still unset
    And the value of AGENT_SESSION_RESUME at project scope is still unset

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @off-1 @off-2
  Scenario: Off for an organization holds for all its projects
    Given an issue served by codex
    And an issue of the same title in another project of the organization
    And AGENT_SESSION_RESUME is false at organization scope
    And a development run of the issue has ended
    When a development run of the other issue is due
    Then the first run of the issue has no session on record
    And the first run of the other issue has no session on record
    And the first run of the other issue mounts its worktree and nothing else
    And the value of AGENT_SESSION_RESUME at organization scope is still false

  @off-1
  Scenario Outline: Off in one place leaves it on in another
    Given an issue served by <adapter>
    And an issue of the same title in another <neighbour>
    And AGENT_SESSION_RESUME is false at <scope> scope
    And a development run of the issue has ended
    And a development run of the other issue has ended
    When a review_fix run of the other issue is due
    Then the first run of the issue has no session on record
    And the second run of the other issue is recorded as resumed
    And the second run of the other issue mounts exactly its own state directory, read-write, at the session state path

    Examples:
      | adapter  | scope        | neighbour                   |
      | opencode | organization | organization                |
      | codex    | project      | project of the organization |

    Examples: more combinations
      | adapter     | scope        | neighbour                   |
      | claude-code | organization | organization                |
      | copilot     | project      | project of the organization |
      | codex       | project      | organization                |

  @off-1
  Scenario Outline: Turned on explicitly, a run has a session
    Given an issue served by claude-code
    And AGENT_SESSION_RESUME is true at <scope> scope
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the second run is recorded as resumed
    And the value of AGENT_SESSION_RESUME at <scope> scope is still true

    Examples:
      | scope        |
      | project      |

    Examples: more combinations
      | scope        |
      | organization |

  @off-9
  Scenario Outline: Where the scopes contradict each other, the project decides, whichever was stored last
    Given an issue served by <adapter>
    And AGENT_SESSION_RESUME is <first value> at <first> scope
    And AGENT_SESSION_RESUME is <second value> at <second> scope
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then <result>

    Examples: the project is exempted from off
      | adapter     | first        | first value | second       | second value | result                                |
      | codex       | project      | true        | organization | false        | the second run is recorded as resumed |

    Examples: more combinations
      | adapter     | first        | first value | second       | second value | result                                |
      | claude-code | organization | false       | project      | true         | the second run is recorded as resumed |

    Examples: more combinations
      | adapter     | first        | first value | second       | second value | result                                               |
      | claude-code | organization | true        | project      | false        | the second run of the issue has no session on record |
      | codex       | project      | false       | organization | true         | the second run of the issue has no session on record |

  @off-9
  Scenario Outline: A change of the organization's value between two runs does not reach a project with a value of its own
    Given an issue served by opencode
    And AGENT_SESSION_RESUME is <project> at project scope
    And a development run of the issue has ended
    And an administrator has set AGENT_SESSION_RESUME to "<organization>" at organization scope
    When a review_fix run of the issue is due
    Then <result>

    Examples:
      | project | organization | result                                               |
      | false   | true         | the second run of the issue has no session on record |

    Examples: more combinations
      | project | organization | result                                               |
      | true    | false        | the second run is recorded as resumed                |

  @off-9
  Scenario Outline: Once the project's value is removed, the organization's holds
    Given an issue served by copilot
    And AGENT_SESSION_RESUME is <organization> at organization scope
    And AGENT_SESSION_RESUME is <project> at project scope
    And AGENT_SESSION_RESUME was removed at project scope
    When a development run of the issue is due
    Then <result>

    Examples:
      | organization | project | result                                                         |
      | true         | false   | the first run is recorded as fresh because of no_prior_session |

    Examples: more combinations
      | organization | project | result                                                         |
      | false        | true    | the first run of the issue has no session on record            |

  @off-10
  Scenario Outline: A text that is no boolean is refused, and the stored value stays
    Given an issue served by codex
    And AGENT_SESSION_RESUME is <stored> at <scope> scope
    When an administrator sets AGENT_SESSION_RESUME to <text> at <scope> scope
    Then the engine refuses with an error that names AGENT_SESSION_RESUME and the <scope> scope
    And the value of AGENT_SESSION_RESUME at <scope> scope is still <stored>

    Examples:
      | scope        | stored | text    |
      | organization | true   | "off"   |
      | organization | true   | " true" |
      | project      | false  | ""      |
      | project      | false  | "1"     |

    Examples: more combinations
      | scope        | stored | text      |
      | project      | false  | "off"     |
      | organization | true   | "on"      |
      | project      | false  | "on"      |
      | organization | true   | "no"      |
      | project      | false  | "no"      |
      | organization | true   | "yes"     |
      | project      | false  | "yes"     |
      | organization | true   | "0"       |
      | project      | false  | "0"       |
      | organization | true   | "1"       |
      | project      | false  | " true"   |
      | organization | true   | "false "  |
      | project      | false  | "false "  |
      | organization | true   | ""        |
      | organization | true   | "null"    |
      | project      | false  | "null"    |
      | organization | true   | "enabled" |
      | project      | false  | "enabled" |
      | organization | true   | "tru"     |
      | project      | false  | "tru"     |

  @off-10
  Scenario Outline: A number is refused, and the stored value stays
    Given an issue served by codex
    And AGENT_SESSION_RESUME is <stored> at <scope> scope
    When an administrator sets AGENT_SESSION_RESUME to the number <number> at <scope> scope
    Then the engine refuses with an error that names AGENT_SESSION_RESUME and the <scope> scope
    And the value of AGENT_SESSION_RESUME at <scope> scope is still <stored>

    Examples:
      | scope        | stored | number |
      | project      | false  | 1      |

    Examples: more combinations
      | scope        | stored | number |
      | organization | true   | 0      |
      | organization | false  | 1      |
      | project      | true   | 0      |
      | project      | true   | -1     |
      | organization | true   | 2      |

  @off-10
  Scenario Outline: Where nothing is stored, nothing is stored after a refusal
    Given an issue served by codex
    When an administrator sets AGENT_SESSION_RESUME to "off" at <scope> scope
    Then the engine refuses with an error that names AGENT_SESSION_RESUME and the <scope> scope
    And the value of AGENT_SESSION_RESUME at <scope> scope is still unset

    Examples:
      | scope        |
      | project      |

    Examples: more combinations
      | scope        |
      | organization |

  @off-10
  Scenario Outline: Runs after a refusal follow the value that stayed
    Given an issue served by claude-code
    And AGENT_SESSION_RESUME is <stored> at <scope> scope
    And an administrator has set AGENT_SESSION_RESUME to "<text>" at <scope> scope
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then <result>

    Examples:
      | scope        | stored | text | result                                               |
      | organization | true   | off  | the second run is recorded as resumed                |

    Examples: more combinations
      | scope        | stored | text | result                                               |
      | organization | true   | 0    | the second run is recorded as resumed                |
      | project      | false  | yes  | the second run of the issue has no session on record |
      | project      | false  | 1    | the second run of the issue has no session on record |

  @off-10
  Scenario Outline: The words true and false are booleans in any case
    Given an issue served by codex
    And AGENT_SESSION_RESUME is <stored> at <scope> scope
    When an administrator sets AGENT_SESSION_RESUME to "<word>" at <scope> scope
    And a development run of the issue is due
    Then the value of AGENT_SESSION_RESUME at <scope> scope is still <value>
    And <result>

    Examples:
      | scope        | stored | word  | value | result                                                         |
      | organization | false  | TRUE  | true  | the first run is recorded as fresh because of no_prior_session |

    Examples: more combinations
      | scope        | stored | word  | value | result                                                         |
      | organization | true   | FALSE | false | the first run of the issue has no session on record            |
      | project      | true   | False | false | the first run of the issue has no session on record            |
      | project      | false  | True  | true  | the first run is recorded as fresh because of no_prior_session |

  @off-11
  Scenario Outline: Turned on again, the next run resumes the last session from before
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And AGENT_SESSION_RESUME is false at <scope> scope
    And a development run of the issue has ended
    And a ci_fix run of the issue has ended
    And AGENT_SESSION_RESUME is true at <scope> scope
    When a review_fix run of the issue is due
    Then the fourth run asked the CLI to resume the native id of the first run
    And the session of the fourth run remembers the prompt of the first run
    And the fourth run is recorded as resumed

    Examples:
      | adapter     | scope        |
      | opencode    | project      |

    Examples: more combinations
      | adapter     | scope        |
      | claude-code | organization |
      | claude-code | project      |
      | codex       | organization |
      | codex       | project      |
      | opencode    | organization |
      | copilot     | organization |
      | copilot     | project      |

  @off-11
  Scenario Outline: It is the last session from before, also when a run in between failed and the engine restarted
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue in which the CLI refuses the session
    And AGENT_SESSION_RESUME is false at project scope
    And a ci_fix run of the issue in which the CLI is killed after naming the session
    And 3 minutes have passed
    And the engine was killed and started again
    And the reconciler has swept
    And AGENT_SESSION_RESUME was removed at project scope
    When a review_fix run of the issue is due
    Then the last run asked the CLI to resume the native id of the second run
    And the session of the last run remembers the prompt of the second run
    And the last run is recorded as resumed

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @off-8
  Scenario Outline: Turning it off leaves what is kept as it is
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state of the issue is noted in every detail
    And AGENT_SESSION_RESUME is false at <scope> scope
    And a review_fix run of the issue has ended
    And the engine was killed and started again
    When the reconciler sweeps
    Then what was noted of the issue is as it was, and nothing is added

    Examples:
      | adapter     | scope        |
      | opencode    | organization |

    Examples: more combinations
      | adapter     | scope        |
      | claude-code | organization |
      | codex       | project      |
      | copilot     | project      |

  @off-8
  Scenario Outline: What was kept before it was turned off is removed when the issue ends
    Given an issue served by codex
    And a development run of the issue has ended
    And AGENT_SESSION_RESUME is false at <scope> scope
    And a review_fix run of the issue has ended
    When the issue is <end>
    Then nothing of the state of the issue is left

    Examples:
      | scope        | end                      |
      | project      | closed without a merge   |

    Examples: more combinations
      | scope        | end                      |
      | organization | closed by merge          |
      | organization | unassigned               |
      | organization | closed without a merge   |
      | organization | deleted from the tracker |
      | project      | closed by merge          |
      | project      | unassigned               |
      | project      | deleted from the tracker |
