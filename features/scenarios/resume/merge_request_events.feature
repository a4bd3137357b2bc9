Feature: Events of the agent's merge request go on with the session of its issue
  A failed pipeline, a review or a conflict arrives under the number of the merge request. It is the issue's work all the
  same, and is done by the agent that remembers the issue.

  @resume-5
  Scenario Outline: An event of the agent's merge request resumes the session of the issue
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    And a development run of the issue has ended
    When the agent's merge request reports <event>
    Then there are 3 runs of the issue
    And the third run of the issue is a <phase> run
    And the third run has succeeded
    And the third run asked the CLI to resume the native id of the second run
    And the session of the third run remembers the prompt of the first run
    And the session of the third run remembers the prompt of the second run
    And the third run is recorded as resumed

    Examples:
      | adapter     | event             | phase               |
      | copilot     | a failed pipeline | ci_fix              |
      | claude-code | a review          | review_fix          |
      | codex       | a conflict        | conflict_resolution |

    Examples: more combinations
      | adapter     | event             | phase               |
      | claude-code | a failed pipeline | ci_fix              |
      | claude-code | a conflict        | conflict_resolution |
      | codex       | a failed pipeline | ci_fix              |
      | codex       | a review          | review_fix          |
      | opencode    | a failed pipeline | ci_fix              |
      | opencode    | a review          | review_fix          |
      | opencode    | a conflict        | conflict_resolution |
      | copilot     | a review          | review_fix          |
      | copilot     | a conflict        | conflict_resolution |

  @resume-5
  Scenario Outline: One event after the other goes on with the same session
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the agent's merge request reported a failed pipeline
    And the agent's merge request reported a review
    When the agent's merge request reports a conflict
    Then there are 4 runs of the issue
    And the last run has succeeded
    And every run of the issue after the first asked the CLI to resume the session of the run before it
    And every run of the issue after the first is recorded as resumed

    Examples:
      | adapter     |
      | codex       |

    Examples: more combinations
      | adapter     |
      | claude-code |
      | opencode    |
      | copilot     |

  @resume-5
  Scenario Outline: An event finds its own issue among several
    Given an issue served by <adapter>
    And <other>
    And a development run of <first> has ended
    And a development run of <second> has ended
    When the agent's merge request for the issue reports <event>
    Then there are 2 runs of the issue
    And there is 1 run of the other issue
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | other                                                                | first           | second          | event             |
      | copilot     | another issue of the same project                                    | the issue       | the other issue | a failed pipeline |
      | claude-code | an issue of the same number in another project of the organization   | the issue       | the other issue | a conflict        |

    Examples: more combinations
      | adapter     | other                                                                | first           | second          | event             |
      | claude-code | another issue of the same project                                    | the issue       | the other issue | a review          |
      | claude-code | another issue of the same project                                    | the other issue | the issue       | a failed pipeline |
      | codex       | another issue of the same project                                    | the issue       | the other issue | a conflict        |
      | codex       | an issue of the same number in another project of the organization   | the other issue | the issue       | a review          |
      | opencode    | an issue of the same number and project name in another organization | the issue       | the other issue | a failed pipeline |
      | copilot     | an issue of the same number and project name in another organization | the other issue | the issue       | a conflict        |

  @resume-5
  Scenario Outline: The engine still knows whose merge request it is after a new start
    Given an issue served by <adapter>
    And a development run of the issue has ended
    And the engine was killed and started again
    When the agent's merge request reports <event>
    Then there are 2 runs of the issue
    And the second run has succeeded
    And the second run asked the CLI to resume the native id of the first run
    And the second run is recorded as resumed

    Examples:
      | adapter     | event             |
      | opencode    | a conflict        |

    Examples: more combinations
      | adapter     | event             |
      | claude-code | a failed pipeline |
      | codex       | a review          |
      | copilot     | a review          |
