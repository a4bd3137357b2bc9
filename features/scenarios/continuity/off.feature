Feature: Nothing is resumed where that is off or not on offer
  A switch that is turned off, and a CLI whose help offers no resuming, leave no option in the arguments that asks for a
  session, whether or not there is one that could be asked for.

  @continuity-6 @continuity-8
  Scenario: Once resuming is turned off no turn asks for a session
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And resuming is turned off
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no start of the scope asks for a session
    And no fresh session was sent a prompt that relies on what is remembered

  @continuity-6 @continuity-9
  Scenario: What was turned off before a restart is off after it
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And resuming is turned off
    And an orderly restart of the engine
    And a turn of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no start of the scope asks for a session

  @continuity-6 @continuity-8
  Scenario: Where the help of the CLI offers no resuming no turn asks for a session
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And from then on the help of the CLI offers no resuming
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no start of the scope asks for a session
    And no fresh session was sent a prompt that relies on what is remembered
