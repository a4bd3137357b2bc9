Feature: A continuation is for the turn that follows, of the same agent, in the same place, by the same provider
  What was recorded with the id has to be so still. Where it is not, the continuation is dropped, and the turn is sent
  all that a fresh session needs.

  @reuse-3 @reuse-6 @reuse-7 @reuse-8
  Scenario: An engine that is killed goes on with the agent that was idle, and begins the other one's turn afresh
    Given an engine that claims reuse
    And a turn of the scope
    And a turn of the other scope
    And a turn of the other scope in which the engine is killed
    And a turn of the scope
    And a turn of the other scope
    When the course is played
    Then nothing can be said unless the second start of the other scope asks for the session of the first
    And as REUSE-3 says, the first start of every scope asks for no session
    And as REUSE-7 says, the second start of the scope asks for the session of the first
    And as REUSE-7 says, the third start of the other scope asks for no session
    And no fresh session was sent a prompt that relies on what is remembered
    And no id of one scope was asked for in another

  @reuse-3 @reuse-8
  Scenario: In another directory a continuation is dropped
    Given an engine that claims reuse
    And a turn of the scope
    And from then on the scope is worked on in another directory
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no fresh session was sent a prompt that relies on what is remembered
    And nothing more can be said unless the second start of the scope is in another directory than the first
    And as REUSE-3 says, the second start of the scope asks for no session
    And as REUSE-3 says, the third start of the scope asks for the session of the second

  @reuse-3 @reuse-8
  Scenario: With another provider a continuation is dropped, and is not there again when the first one is back
    Given an engine that claims reuse
    And a turn of the scope
    And from then on the scope is served by another provider's CLI
    And a turn of the scope
    And from then on the scope is served by another provider's CLI
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no fresh session was sent a prompt that relies on what is remembered
    And nothing more can be said unless the second start of the scope is of another CLI than the first
    And nothing more can be said unless the third start of the scope is of another CLI than the second
    And as REUSE-3 says, the second start of the scope asks for no session
    And as REUSE-3 says, the third start of the scope asks for no session
    And as REUSE-3 says, the fourth start of the scope asks for the session of the third

  @reuse-3 @reuse-8
  Scenario: A CLI that no longer offers to resume is sent the whole task
    Given an engine that claims reuse
    And a turn of the scope
    And from then on the help of the CLI offers no resuming
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And as REUSE-3 says, the second start of the scope asks for no session
    And no fresh session was sent a prompt that relies on what is remembered
