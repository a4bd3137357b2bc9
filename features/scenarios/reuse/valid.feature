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
    Then nothing can be said unless every act of the course is done
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
    Then the second start of the scope asks for no session
    And as REUSE-2 says, the second start of the scope is fresh, with the whole task
    And as REUSE-1 says, the third start of the scope asks for the session of the second
    And the fourth start of the scope asks for no session
    And as REUSE-2 says, the fourth start of the scope is fresh, with the whole task
    And as REUSE-2 says, no turn of the scope is done without a start that ended well

  @reuse-1 @reuse-2
  Scenario: After a completion hook that failed the next attempt is fresh
    Given an engine that claims reuse
    And a turn of the scope after which the hook fails
    And 2 turns of the scope
    When the course is played
    Then the second start of the scope asks for no session
    And as REUSE-2 says, the second start of the scope is fresh, with the whole task
    And as REUSE-1 says, the last start of the scope asks for the session of the one before
    And as REUSE-2 says, no turn of the scope is done without a start that ended well

  @reuse-2 @reuse-4
  Scenario Outline: A resumed turn in which the CLI did not name the asked session alone has failed
    Given an engine that claims reuse
    And a turn of the scope
    And a turn of the scope in which the CLI <behaves>
    And a turn of the scope
    When the course is played
    Then nothing can be said unless the second start of the scope asks for the session of the first
    And as REUSE-4 says, no resume of the scope that did not name the asked session alone is taken for done
    And as REUSE-2 says, the third start of the scope asks for no session

    Examples:
      | behaves                     |
      | names no session            |
      | names two sessions          |
      | starts a session of its own |

  @reuse-5 @reuse-8
  Scenario: Of a fresh turn in which the CLI named no session, or two, nothing is kept
    Given an engine that claims reuse
    And a turn of the scope in which the CLI names no session
    And a turn of the scope in which the CLI names two sessions
    And 2 turns of the scope
    When the course is played
    Then as REUSE-5 says, the second start of the scope asks for no session
    And as REUSE-5 says, the third start of the scope asks for no session
    And nothing can be said unless the last start of the scope asks for the session of the one before
    And no fresh session was sent a prompt that relies on what is remembered
