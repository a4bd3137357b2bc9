Feature: A link never leads the engine out of a session directory
  Code that runs in a container can plant links, and so can a careless administrator. The engine does not follow them:
  a link in place of a session directory counts as no directory, and one among the files counts as no file.

  @isolate-9
  Scenario Outline: A link in place of a session's directory is replaced by a real directory
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a directory of the host that is none of the engine's business
    And <link>
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run mounts exactly its own state directory, read-write, at the session state path
    And the session mount of the second run is a real directory and no link leads out of it
    And the second run is recorded as fresh because of state_missing
    And the second run did not ask the CLI to resume anything
    And that directory is as it was

    Examples:
      | adapter     | link                                                                     |
      | claude-code | a link to it stands in place of the state directory of the issue         |
      | codex       | a link to it stands in place of the whole session directory of the issue |

    Examples: more combinations
      | adapter     | link                                                                     |
      | claude-code | a link to it stands in place of the whole session directory of the issue |
      | codex       | a link to it stands in place of the state directory of the issue         |
      | opencode    | a link to it stands in place of the state directory of the issue         |
      | opencode    | a link to it stands in place of the whole session directory of the issue |
      | copilot     | a link to it stands in place of the state directory of the issue         |
      | copilot     | a link to it stands in place of the whole session directory of the issue |

  @isolate-9
  Scenario Outline: A link to another issue's state opens nothing of it
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And a link to the state directory of the other issue stands in place of the one of the issue
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the session mount of the second run is a real directory and no link leads out of it
    And the second run is recorded as fresh because of state_missing
    And no run of the issue remembers or reaches anything of the other issue
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | claude-code |

    Examples: more combinations
      | adapter     |
      | codex       |
      | opencode    |
      | copilot     |

  @isolate-9
  Scenario Outline: A state directory that holds nothing but a link to files is empty
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the state directory of the issue was emptied
    And a directory of the host that is none of the engine's business
    And a link to it stands in the state directory of the issue
    And a link "round" to the parent directory stands in the state directory of the issue
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run is recorded as fresh because of state_missing
    And the second run did not ask the CLI to resume anything
    And that directory is as it was

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @isolate-9
  Scenario Outline: A link among the files of a session is neither followed nor in the way
    Given an issue served by <adapter>
    And another issue of the same project
    And a development run of the issue has ended
    And a development run of the other issue has ended
    And the state of the other issue is noted in every detail
    And a link to the state directory of the other issue stands in the one of the issue
    And a link "round" to the parent directory stands in the state directory of the issue
    When a review_fix run of the issue is due
    Then the second run is recorded as resumed
    And the session mount of the second run is a real directory and no link leads out of it
    And no run of the issue remembers or reaches anything of the other issue
    And what was noted of the other issue is as it was, and nothing is added

    Examples:
      | adapter     |
      | opencode    |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | codex       |
      | copilot     |

  @isolate-9
  Scenario Outline: A file in place of the state directory is replaced by a real directory
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And a file stands in place of the state directory of the issue
    When a review_fix run of the issue is due
    Then the second run has succeeded
    And the second run mounts exactly its own state directory, read-write, at the session state path
    And the second run is recorded as fresh because of state_missing

    Examples:
      | adapter     |
      | claude-code |
      | opencode    |
