Feature: No run sees anything of another issue's session
  Two issues may run at the same time, have the same number in two projects, or be called almost the same. Whatever an
  agent plants in its own session, the next run of the issue finds that session and no other.

  @isolate-3 @isolate-7
  Scenario Outline: Two issues that run at the same time mount and remember their own sessions
    Given an issue served by <adapter>
    And <neighbour>
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And a review_fix run of the issue in which the CLI hangs after naming the session
    When a review_fix run of the other issue is due
    And the CLI goes on to its end
    Then no run mounts or reaches a state directory of the other party
    And the second run mounts exactly its own state directory, read-write, at the session state path
    And the second run of the other issue mounts exactly its own state directory, read-write, at the session state path
    And the session of the second run of the issue remembers exactly the prompts of the runs before it
    And the session of the second run of the other issue remembers exactly the prompts of the runs before it

    Examples:
      | adapter     | neighbour                                                            |
      | claude-code | another issue of the same project                                    |
      | codex       | an issue of the same number in another project of the organization   |
      | opencode    | an issue of the same number and project name in another organization |

    Examples: more combinations
      | adapter     | neighbour                                                            |
      | claude-code | an issue of the same number in another project of the organization   |
      | claude-code | an issue of the same number and project name in another organization |
      | codex       | another issue of the same project                                    |
      | codex       | an issue of the same number and project name in another organization |
      | opencode    | another issue of the same project                                    |
      | opencode    | an issue of the same number in another project of the organization   |
      | copilot     | another issue of the same project                                    |
      | copilot     | an issue of the same number in another project of the organization   |
      | copilot     | an issue of the same number and project name in another organization |

  @isolate-3 @isolate-7
  Scenario Outline: The first run of an issue has nothing of a neighbour that has run before
    Given issue <one> served by <adapter>, titled "One"
    And issue <two> of the same project
    And a development run of the issue has ended
    When a development run of the other issue is due
    Then the first run of the other issue is recorded as fresh because of no_prior_session
    And no run of the other issue remembers or reaches anything of the issue

    Examples:
      | adapter     | one | two |
      | copilot     | 11  | 111 |

    Examples: more combinations
      | adapter     | one | two |
      | claude-code | 1   | 12  |
      | codex       | 12  | 1   |
      | opencode    | 2   | 21  |

  @isolate-7
  Scenario Outline: The first run of an issue finds an empty directory, whoever has run before
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the other issue has ended
    And at its next start the CLI is killed before naming the session
    When a development run of the issue is due
    Then the first run has failed
    And the first run of the issue mounts exactly its own state directory, read-write, at the session state path
    And the state directory of the issue is a real one, without any file

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @isolate-7
  Scenario Outline: A link that the agent plants in its session leads to no other session
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the other issue has ended
    And at its next start the agent links "{state}/<link>" to "{other}"
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the second run is recorded as resumed
    And no run of the issue remembers or reaches anything of the other issue
    And the session of the second run of the issue remembers exactly the prompts of the runs before it

    Examples:
      | adapter     | link                 |
      | opencode    | sessions-99.db       |

    Examples: more combinations
      | adapter     | link                 |
      | claude-code | -workspace/neighbour |
      | codex       | 2099                 |
      | copilot     | neighbour            |

  @isolate-8
  Scenario Outline: Issues whose joined names are equal or differ by case only have nothing in common
    Given issue <iid> of organization "<organization>" and project "<project>", served by <adapter>
    And another issue <iid> of organization "<other organization>" and project "<other project>", served by <adapter>
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And a review_fix run of the issue has ended
    When a review_fix run of the other issue is due
    Then no run of the issue remembers or reaches anything of the other issue
    And no run of the other issue remembers or reaches anything of the issue
    And the first run of the other issue is recorded as fresh because of no_prior_session
    And the second run of the other issue is recorded as resumed
    And the second run is recorded as resumed

    Examples:
      | adapter     | iid | organization                                                                                                             | project                                                                                                                   | other organization                                                                                                       | other project                                                                                                             |
      | claude-code | 7   | a-b                                                                                                                      | c                                                                                                                         | a                                                                                                                        | b-c                                                                                                                       |

    Examples: more combinations
      | adapter     | iid | organization                                                                                                             | project                                                                                                                   | other organization                                                                                                       | other project                                                                                                             |
      | codex       | 7   | a-b                                                                                                                      | c                                                                                                                         | a                                                                                                                        | b-c                                                                                                                       |
      | opencode    | 7   | Acme                                                                                                                     | shop                                                                                                                      | acme                                                                                                                     | shop                                                                                                                      |
      | copilot     | 7   | acme                                                                                                                     | Shop                                                                                                                      | acme                                                                                                                     | shop                                                                                                                      |
      | codex       | 3   | Team                                                                                                                     | Web-App                                                                                                                   | team-web                                                                                                                 | app                                                                                                                       |
      | claude-code | 7   | a b                                                                                                                      | c                                                                                                                         | a/b                                                                                                                      | c                                                                                                                         |
      | codex       | 7   | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy1 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy2 |
