Feature: A new session on an issue takes up what an earlier one left
  The tracker can open one session after the other on an issue. Where that is switched on, a new one goes on from the
  native id of the most recently updated other session that lives, or else from the record of the issue.

  @redelegation-1
  Scenario: Unless it was switched on, a new session is cold
    Given an engine that claims redelegation
    And a turn of the scope
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the second start of the scope asks for no session

  @redelegation-1
  Scenario: Once it is switched off again a new session is cold
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a new session of the tracker on the scope
    And a turn of the scope
    And taking up earlier sessions is turned off
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the second start of the scope asks for the session of the first
    And the third start of the scope asks for no session

  @redelegation-2 @redelegation-3
  Scenario: The id that was reported last outlives its session and the engine, even where the turn failed
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a turn of the scope in which the CLI starts a session of its own and fails
    And the session of the tracker on the scope is removed
    And an orderly restart of the engine
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then the third start of the scope asks for the session of the second
    And nothing can be said unless the third turn of the scope is done

  @redelegation-3 @redelegation-4
  Scenario: Of several sessions that live the one that was updated last is taken up
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a new session of the tracker on the scope
    And a turn of the scope in which the CLI starts a session of its own
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And as REDELEGATION-4 says, the second start of the scope asks for the session of the first
    And as REDELEGATION-3 says, the third start of the scope asks for the session of the second

  @redelegation-3
  Scenario: A session that lives is taken up before the record, which may be of one that was removed
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a new session of the tracker on the scope
    And a turn of the scope in which the CLI starts a session of its own
    And the session of the tracker on the scope is removed
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the second start of the scope asks for the session of the first
    And the third start of the scope asks for the session of the first

  @redelegation-5
  Scenario: Where no native id was ever reported a new session is cold, and does not fail for it
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope in which the CLI fails without a word
    And a new session of the tracker on the scope
    And a turn of the scope
    When the course is played
    Then the second start of the scope asks for no session
    And the second turn of the scope is done
    And no turn of the scope is done without a start that ended well

  @redelegation-8
  Scenario: What one issue left is not taken up by another
    Given an engine that claims redelegation
    And taking up earlier sessions is turned on
    And a turn of the scope
    And a turn of the other scope
    And a new session of the tracker on the scope
    And a turn of the scope
    And a new session of the tracker on the other scope
    And a turn of the other scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the first start of every scope asks for no session
    And no id of one scope was asked for in another
    And the second start of the scope asks for the session of the first
    And the second start of the other scope asks for the session of the first
