Feature: Turn after turn, a scope goes on in its own session
  Whatever an engine keeps a session for, the first turn begins one, and every later turn asks for it by the id that came
  up before, in the same place, under the same provider, and for nobody else.

  @continuity-1 @continuity-2 @continuity-3 @continuity-8 @continuity-10 @continuity-11 @continuity-12 @quick
  Scenario: Each turn after the first asks for the session of the one before
    Given an engine that claims continuity
    And resuming is on from the beginning
    And 3 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the first start of every scope asks for no session
    And every start of the scope after the first asks for the session of the one before
    And no session was asked for but by its id
    And every id that was asked for had come up in an earlier start of its scope
    And no fresh session was sent a prompt that relies on what is remembered
    And every session was resumed in the directory in which it began
    And every session that was resumed was sent what the engine declares

  @continuity-1 @continuity-3 @continuity-4 @continuity-12 @quick
  Scenario: Two scopes take turns, and neither is given the other's session
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And a turn of the other scope
    And a turn of the scope
    And a turn of the other scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And the first start of every scope asks for no session
    And no id of one scope was asked for in another
    And every id that was asked for had come up in an earlier start of its scope
    And every start of the scope after the first asks for the session of the one before
    And every start of the other scope after the first asks for the session of the one before

  @continuity-2 @continuity-3 @continuity-4 @continuity-9
  Scenario: After an orderly restart each scope asks for what it would have asked for without one
    Given an engine that claims continuity
    And resuming is on from the beginning
    And 2 turns of the scope
    And a turn of the other scope
    And an orderly restart of the engine
    And a turn of the scope
    And a turn of the other scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And no session was asked for but by its id
    And every id that was asked for had come up in an earlier start of its scope
    And no id of one scope was asked for in another
    And every scope asks after the restart for what it would have asked for without one

  @continuity-5 @continuity-8
  Scenario: Another provider's CLI is not asked for a session that it never had
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And from then on the scope is served by another provider's CLI
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And nothing can be said unless the last start of the scope is of another CLI than the first
    And no id of one provider's CLI was asked of another's
    And no fresh session was sent a prompt that relies on what is remembered

  @continuity-10 @continuity-8
  Scenario: A session is not taken along into another directory
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And from then on the scope is worked on in another directory
    And 2 turns of the scope
    When the course is played
    Then nothing can be said unless every act of the course is done
    And nothing can be said unless the last start of the scope is in another directory than the first
    And every session was resumed in the directory in which it began
    And no fresh session was sent a prompt that relies on what is remembered
