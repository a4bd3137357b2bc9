Feature: A session that is gone, or that nobody knows, does not hold up the work
  A CLI can lose what it said it had, answer under another id, name no session at all, or fail. No engine can prevent
  that. What it can do is to stop asking, to begin afresh with the whole task, and to say so where it does not go on.

  @continuity-3 @continuity-7 @continuity-8 @continuity-12 @continuity-13 @quick
  Scenario: A session that the CLI does not find is not asked for again and again
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope in which the CLI answers and saves nothing
    And 4 turns of the scope
    When the course is played
    Then nothing can be said unless the first turn of the scope is done
    And no id that the CLI did not find was asked for more than 3 times
    And the scope goes on without the lost session, or its failure is shown
    And every start of the scope after one that went well asks for its session
    And no fresh session was sent a prompt that relies on what is remembered
    And every id that was asked for had come up in an earlier start of its scope

  @continuity-11
  Scenario: A resume under another id is treated as the engine declares
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope
    And a turn of the scope in which the CLI starts a session of its own
    And a turn of the scope
    When the course is played
    Then nothing can be said unless the first turn of the scope is done
    And the resume of the scope under another id is treated as the engine declares

  @continuity-8 @continuity-11
  Scenario: A session in which a turn has failed is gone on with where the engine declares so
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope in which the CLI gets a server error
    And 2 turns of the scope
    When the course is played
    Then no session of the scope was asked for before it was valid, as the engine declares
    And no fresh session was sent a prompt that relies on what is remembered

  @continuity-1 @continuity-2 @continuity-3 @continuity-8
  Scenario: Where no id came up there is nothing to ask for, and the whole task is sent again
    Given an engine that claims continuity
    And resuming is on from the beginning
    And a turn of the scope in which the CLI names no session
    And a turn of the scope in which the CLI fails with a general error
    And a turn of the scope
    When the course is played
    Then nothing can be said unless no turn of the scope is done without a start that ended well
    And the first start of every scope asks for no session
    And no session was asked for but by its id
    And every id that was asked for had come up in an earlier start of its scope
    And no fresh session was sent a prompt that relies on what is remembered
