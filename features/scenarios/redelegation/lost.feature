Feature: Only a session that is gone is replaced by a cold start, and once
  A session that was taken up can be gone by then. The work is then done from the beginning, with the whole task. Any
  other failure says nothing of the session, and to begin afresh for it would throw away what was remembered.

  @redelegation-6
  Scenario: Where the session that was taken up is not found the work is done cold, once
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope in which the CLI answers and saves nothing
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then the second start of the scope asks for the session of the first
    And the third start of the scope is fresh, with the whole task
    And the scope was started 3 times
    And the second turn of the scope is done
    And no turn of the scope is done without a start that ended well

  @redelegation-7
  Scenario Outline: After a failure of another kind nothing is started cold
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a new session of the tracker on the scope
    And a turn of the scope in which the CLI <fails>
    And a turn of the scope
    When the course is played
    Then the second start of the scope asks for the session of the first
    And no start of the scope after the second is fresh

    Examples:
      | fails                                       |
      | gets a server error                         |
      | fails with a text about something not found |
