Feature: What is mounted holds sessions and nothing else
  A CLI keeps settings, hooks and credentials close to its sessions. Only the sessions outlive a run, so that nothing
  which a run plants can reach a later one, and no credential ends up among what is kept.

  # seen in: bytedance/deer-flow#3520, bytedance/deer-flow#3521, agent-of-empires#3816, anomalyco/opencode#4193
  # seen in: 1996fanrui/agents-sandbox#185, Cotal-AI/Cotal#59
  @isolate-2 @isolate-4 @isolate-5
  Scenario Outline: One mount is added for the session, beside credentials that lie next to it
    Given an issue served by <adapter>
    And credentials are mounted at "<credentials>"
    And credentials are mounted at "/home/agent/.secrets/token"
    And a <phase> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run is recorded as resumed
    And the first run adds to a run without a session one mount and nothing else that is writable
    And the second run adds to a run without a session one mount and nothing else that is writable
    And the session mount of the second run holds neither configuration, credentials nor the home directory
    And the session mount of the second run does not overlap any credential mount
    And no file of configuration or credentials lies in the state of the issue

    Examples:
      | adapter     | credentials                                 | phase       |
      | claude-code | /home/agent/.claude/.credentials.json       | analysis    |
      | codex       | /home/agent/.codex/auth.json                | analysis    |
      | opencode    | /home/agent/.local/share/opencode/auth.json | analysis    |

    Examples: more combinations
      | adapter     | credentials                                 | phase       |
      | claude-code | /home/agent/.claude/.credentials.json       | development |
      | codex       | /home/agent/.codex/auth.json                | development |
      | opencode    | /home/agent/.local/share/opencode/auth.json | development |
      | copilot     | /home/agent/.copilot/config.json            | analysis    |
      | copilot     | /home/agent/.copilot/config.json            | development |

  @isolate-4
  Scenario Outline: Settings, hooks and credentials that a run leaves in its home are gone in the next
    Given an issue served by <adapter>
    And at its next start the agent writes "planted" to "<path>"
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the second run is recorded as resumed
    And the second run adds to a run without a session one mount and nothing else that is writable
    And no file of configuration or credentials lies in the state of the issue

    Examples:
      | adapter     | path                                        |
      | copilot     | /home/agent/.copilot/config.json            |

    Examples: more combinations
      | adapter     | path                                        |
      | claude-code | /home/agent/.claude/settings.json           |
      | claude-code | /home/agent/.claude.json                    |
      | codex       | /home/agent/.codex/config.toml              |
      | codex       | /home/agent/.codex/auth.json                |
      | opencode    | /home/agent/.local/share/opencode/auth.json |
      | opencode    | /home/agent/.config/opencode/opencode.json  |

  @isolate-5
  Scenario Outline: Credentials that would lie at, above or below a session mount keep the engine from starting
    Given an issue served by <adapter>
    And credentials are mounted at "<target>"
    When the engine starts
    Then the engine refuses to start, with an error that names AGENT_CREDENTIAL_MOUNTS

    Examples:
      | adapter     | target                                               |
      | claude-code | /home/agent/.claude/projects                         |
      | claude-code | /home/agent/.claude                                  |
      | claude-code | /home/agent/.claude/projects/.credentials.json       |
      | codex       | /home/agent/.codex/x/../sessions                     |

    Examples: more combinations
      | adapter     | target                                               |
      | codex       | /home/agent/.codex/sessions                          |
      | codex       | /home/agent/.codex                                   |
      | codex       | /home/agent/.codex/sessions/auth.json                |
      | opencode    | /home/agent/.local/state/opencode-sessions           |
      | opencode    | /home/agent/.local/state                             |
      | opencode    | /home/agent/.local/state/opencode-sessions/auth.json |
      | copilot     | /home/agent/.copilot/session-state                   |
      | copilot     | /home/agent/.copilot                                 |
      | copilot     | /home/agent/.copilot/session-state/x/token           |
      | codex       | /home/agent                                          |
      | codex       | /                                                    |
      | codex       | /home/agent/.codex/sessions/                         |

  @isolate-5
  Scenario: Of several credential mounts each is looked at
    Given an issue served by codex
    And credentials are mounted at "/home/agent/.codex/auth.json"
    And credentials are mounted at "/home/agent/.secrets/token"
    And credentials are mounted at "/home/agent/.codex/sessions/auth.json"
    When the engine starts
    Then the engine refuses to start, with an error that names AGENT_CREDENTIAL_MOUNTS

  @isolate-5
  Scenario Outline: Credentials that lie among the session directories of the host keep the engine from starting
    Given an issue served by codex
    And credentials are mounted from "<place>" among the session directories, at "/home/agent/.secrets/token"
    When the engine starts
    Then the engine refuses to start, with an error that names AGENT_CREDENTIAL_MOUNTS

    Examples:
      | place                         |
      | .                             |

    Examples: more combinations
      | place                         |
      | token                         |
      | acme-shop-issue-1/codex/token |
      | ../                           |

  @isolate-5
  Scenario Outline: A name that only begins like a session path is no overlap
    Given an issue served by <adapter>
    And credentials are mounted at "<target>"
    And a development run of the issue has ended
    When a review_fix run of the issue is due
    Then the second run is recorded as resumed
    And the session mount of the second run does not overlap any credential mount

    Examples:
      | adapter     | target                                                |
      | codex       | /home/agent/.codex/sessions.json                      |

    Examples: more combinations
      | adapter     | target                                                |
      | claude-code | /home/agent/.claude/projects-token                    |
      | opencode    | /home/agent/.local/state/opencode-sessions2/auth.json |
      | copilot     | /home/agent/.copilot/session-state-key                |
