Feature: No prompt is mistaken for an option
  Prompts hold what people wrote. Text that looks like an option or like a subcommand of the CLI must reach the agent as
  text, at a fresh start and at a resume.

  # seen in: ebibibi/ebi-agent-chat-relay#454, its-ahoh/codey#431, chenhg5/cc-connect#1360
  @resume-16
  Scenario Outline: A title that looks like an option or a subcommand reaches the agent as text
    Given an issue served by <adapter>, titled "<title>"
    And a <before> run of the issue has ended
    When a <phase> run of the issue is due
    Then the second run has succeeded
    And the CLI was started 1 time in the second run
    And the CLI understood the arguments of every start
    And the prompt of the first run reached the CLI whole
    And the prompt of the second run reached the CLI whole
    And the second run asked the CLI to resume the native id of the first run

    Examples:
      | adapter     | title                           | before      | phase       |
      | codex       | --help                          | analysis    | development |
      | copilot     | --allow-all --yolo              | development | ci_fix      |

    Examples: more combinations
      | adapter     | title                           | before      | phase       |
      | claude-code | --help                          | analysis    | development |
      | claude-code | -p                              | analysis    | answer      |
      | claude-code | --resume --fork-session         | development | ci_fix      |
      | claude-code | -- --continue                   | analysis    | development |
      | claude-code | resume                          | analysis    | answer      |
      | codex       | --last                          | analysis    | answer      |
      | codex       | -C / --sandbox none             | development | ci_fix      |
      | codex       | -- --cd /                       | analysis    | development |
      | codex       | resume                          | analysis    | development |
      | codex       | exec resume --last              | analysis    | answer      |
      | codex       | -                               | analysis    | answer      |
      | opencode    | --help                          | analysis    | development |
      | opencode    | --continue                      | analysis    | answer      |
      | opencode    | -s ses_0000000000000000000000Ab | development | ci_fix      |
      | opencode    | -- --fork                       | analysis    | development |
      | opencode    | run                             | analysis    | answer      |
      | copilot     | --help                          | analysis    | development |
      | copilot     | --continue                      | analysis    | answer      |
      | copilot     | -- -C /                         | analysis    | development |
      | copilot     | resume                          | analysis    | answer      |

  @resume-16
  Scenario Outline: The prompt of a fresh start after a refusal reaches the agent as text
    Given an issue served by <adapter>, titled "<title>"
    And an analysis run of the issue has ended
    And at its next start the CLI refuses the session
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI understood the arguments of every start
    And the prompt of the second run reached the CLI whole

    Examples:
      | adapter     | title                |
      | opencode    | --dir /              |

    Examples: more combinations
      | adapter     | title                |
      | claude-code | --version            |
      | codex       | --yolo               |
      | copilot     | --session-id=nothing |

  @resume-16
  Scenario Outline: A title with characters that mean something to a shell reaches the agent as text
    Given an issue served by <adapter>, whose title is <title>
    And an analysis run of the issue has ended
    When a development run of the issue is due
    Then the second run has succeeded
    And the CLI understood the arguments of every start
    And the prompt of the second run reached the CLI whole

    Examples:
      | adapter     | title                |
      | claude-code | leading dashes       |
      | claude-code | quotes               |

    Examples: more combinations
      | adapter     | title                |
      | claude-code | Git's own characters |
      | codex       | leading dashes       |
      | codex       | quotes               |
      | codex       | Git's own characters |
      | opencode    | leading dashes       |
      | opencode    | quotes               |
      | opencode    | Git's own characters |
      | copilot     | leading dashes       |
      | copilot     | quotes               |
      | copilot     | Git's own characters |
