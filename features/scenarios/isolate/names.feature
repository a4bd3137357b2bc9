Feature: The name of a session directory is fit for a file system and belongs to one issue
  Organizations and projects are called as their owners like. The directory of an issue has the plain joined name where
  that is fit and free, and otherwise a cleaned name with digits that tell it apart.

  @isolate-8
  Scenario Outline: A name that is not plain is cleaned, cut and told apart by digits
    Given issue <iid> of organization "<organization>" and project "<project>", served by <adapter>
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the first run of the issue mounts the state directory of its name with digits
    And the second run of the issue mounts the state directory of its name with digits
    And the second run is recorded as resumed

    Examples:
      | adapter     | iid   | organization                                                                                                             | project                                                                                                                  |
      | opencode    | 7     | größe                                                                                                                    | 项目                                                                                                                       |
      | copilot     | 7     | .hidden                                                                                                                  | web                                                                                                                      |
      | codex       | 7     | a~b                                                                                                                      | c                                                                                                                        |
      | codex       | 7     | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy |

    Examples: more combinations
      | adapter     | iid   | organization                                                                                                             | project                                                                                                                  |
      | codex       | 7     | a b                                                                                                                      | c                                                                                                                        |
      | claude-code | 7     | team/sub                                                                                                                 | web                                                                                                                      |
      | codex       | 7     | ..                                                                                                                       | x                                                                                                                        |
      | codex       | 7     | ../..                                                                                                                    | x                                                                                                                        |
      | codex       | 7     | a:b                                                                                                                      | c*?                                                                                                                      |
      | codex       | 12345 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx                          | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy                          |
      | codex       | 7     | a'b$(id)                                                                                                                 | c;d                                                                                                                      |

  @isolate-8
  Scenario Outline: Where two names differ by case or joint only, the one that runs first has the plain name
    Given issue 7 of organization "<organization>" and project "<project>", served by codex
    And another issue 7 of organization "<other organization>" and project "<other project>", served by codex
    And a development run of the <first> has ended
    And a development run of the <second> has ended
    When a review_fix run of the <second> is due
    Then the first run of the <first> mounts the state directory of its plain name
    And the first run of the <second> mounts the state directory of its name with digits
    And the second run of the <second> mounts the state directory of its name with digits

    Examples:
      | organization | project | other organization | other project | first       | second      |
      | a-b          | c       | a                  | b-c           | issue       | other issue |
      | Acme         | shop    | acme               | shop          | issue       | other issue |

    Examples: more combinations
      | organization | project | other organization | other project | first       | second      |
      | a-b          | c       | a                  | b-c           | other issue | issue       |
      | Acme         | shop    | acme               | shop          | other issue | issue       |

  @isolate-8
  Scenario: A chosen name does not change when the plain one becomes free
    Given issue 7 of organization "a-b" and project "c", served by codex
    And another issue 7 of organization "a" and project "b-c", served by codex
    And a development run of the other issue has ended
    And a development run of the issue has ended
    And the other issue was closed by merge
    When a review_fix run of the issue is due
    Then the first run of the issue mounts the state directory of its name with digits
    And the second run of the issue mounts the state directory of its name with digits
    And the second run is recorded as resumed

  @isolate-8
  Scenario Outline: What stands at the path of a new issue belongs to nobody and is removed first
    Given an issue served by <adapter>
    And a directory of nobody stands where the state of the issue will be
    And at its next start the CLI is killed before naming the session
    When a development run of the issue is due
    Then the first run of the issue mounts the state directory of its plain name
    And the first run is recorded as fresh because of no_prior_session
    And the state directory of the issue is a real one, without any file

    Examples:
      | adapter     |
      | copilot     |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | opencode    |

  @isolate-8
  Scenario: What cannot be removed there keeps its name, and the issue gets another
    Given an issue served by codex
    And a directory of nobody stands where the state of the issue will be
    And the state directory of the issue cannot be removed
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the first run of the issue mounts the state directory of its name with digits
    And the second run of the issue mounts the state directory of its name with digits
    And the second run is recorded as resumed
