Feature: A continuation is valid once a whole turn went well, and not a moment earlier
  The id that a CLI names is worth nothing by itself. Only when the CLI has succeeded, its answer was found to have the
  right form, and what follows a turn has succeeded as well, may the next turn lean on what the session remembers.

  @reuse-1 @reuse-6 @reuse-7 @reuse-8
  Scenario: Turns that went well are gone on from, after a restart as before it
    Given an engine that claims reuse
    And 2 turns of the scope
    And an orderly restart of the engine
    And a turn of the scope
    When the course is played
    Then every act of the course is done
    And every start of the scope after the first asks for the session of the one before
    And every scope asks after the restart for what it would have asked for without one
    And no session was asked for but by its id
    And every id that was asked for had come up in an earlier start of its scope
    And no fresh session was sent a prompt that relies on what is remembered

  @reuse-1 @reuse-2
  Scenario: After a CLI that failed, and after an answer of the wrong form, the next attempt is fresh
    Given an engine that claims reuse
    And a turn of the scope in which the CLI gets a server error
    And a turn of the scope
    And a turn of the scope in which the answer has the wrong form
    And a turn of the scope
    When the course is played
    Then the second start of the scope is fresh, with the whole task
    And the third start of the scope asks for the session of the second
    And the fourth start of the scope is fresh, with the whole task
    And no turn of the scope is done without a start that ended well

  @reuse-1 @reuse-2
  Scenario: After a completion hook that failed the next attempt is fresh
    Given an engine that claims reuse
    And a turn of the scope after which the hook fails
    And 2 turns of the scope
    When the course is played
    Then the second start of the scope is fresh, with the whole task
    And the last start of the scope asks for the session of the one before
    And no turn of the scope is done without a start that ended well

  @reuse-4 @reuse-5
  Scenario: Where the CLI named two sessions or none nothing is kept
    Given an engine that claims reuse
    And a turn of the scope in which the CLI names two sessions
    And a turn of the scope
    And a turn of the scope in which the CLI names no session
    And a turn of the scope
    And a turn of the scope in which the CLI names two sessions
    And a turn of the scope
    When the course is played
    Then as REUSE-5 says, the second start of the scope is fresh, with the whole task
    And the third start of the scope asks for the session of the second
    And as REUSE-4 says, the work of the third start of the scope is not taken for done
    And as REUSE-4 says, the fourth start of the scope is fresh, with the whole task
    And the fifth start of the scope asks for the session of the fourth
    And as REUSE-4 says, the work of the fifth start of the scope is not taken for done
    And as REUSE-4 says, the sixth start of the scope is fresh, with the whole task

  @reuse-4 @reuse-5
  Scenario: Where a resume was answered in another session nothing is kept
    Given an engine that claims reuse
    And a turn of the scope in which the CLI names no session
    And a turn of the scope
    And a turn of the scope in which the CLI starts a session of its own
    And a turn of the scope
    When the course is played
    Then as REUSE-5 says, the second start of the scope is fresh, with the whole task
    And the third start of the scope asks for the session of the second
    And as REUSE-4 says, the work of the third start of the scope is not taken for done
    And as REUSE-4 says, the fourth start of the scope is fresh, with the whole task
