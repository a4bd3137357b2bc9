Feature: Every title gives a name that Git takes, by one rule
  People write anything into a title: other scripts, emoji, quotes, control characters, nothing at all. Two engines, and
  one engine on two machines, must make the same name of it, letter by letter, and Git must take it for a branch.

  @name-8
  Scenario Outline: Number and title of an issue give exactly this name
    Given issue <number> served by claude-code, titled "<title>"
    And the branch prefix is "<prefix>"
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the name of the issue is "<name>"

    Examples:
      | prefix | number | title                                      | name                                                  |
      | agent/ | 7      | Add a name on AI client and resume from it | agent/issue-7-add-a-name-on-ai-client-and-resume-from |
      | agent/ | 12     | Créer l'été « à vélo »                     | agent/issue-12-creer-l-ete-a-velo                     |

    Examples: more combinations
      | prefix | number | title                                      | name                                                  |
      | agent/ | 1      | Add a name on client and resume from it    | agent/issue-1-add-a-name-on-client-and-resume-from-it |
      | agent/ | 11     | In the run, add a page to connect to the … | agent/issue-11-in-the-run-add-a-page-to-connect-to-the |
      | agent/ | 13     | 🚀🚀                                       | agent/issue-13                                        |
      | bot-   | 14     | --help @{0} x.lock                         | bot-issue-14-help-0-x-lock                            |

  @name-8
  Scenario Outline: A title gives exactly this slug
    Given an issue served by codex, titled <title>
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the name of the issue is its prefix, "issue", its number and the slug <slug>
    And the slug of the issue has at most 40 characters of a-z, 0-9 and single dashes

    Examples:
      | title                                                | slug                                       |
      | "Fix issue #12 (again)"                              | "fix-issue-12-again"                       |
      | "Straße nach Łódź"                                   | "stra-e-nach-odz"                          |
      | "ﬁx the ﬂow"                                         | "x-the-ow"                                 |
      | "e⃐x"                                                | "e-x"                                      |
      | "🚀abcdefghijklmnopqrstuvwxyz0123456789abcdefg"       | "abcdefghijklmnopqrstuvwxyz0123456789abc"  |
      | "ééééééééééééééééééééééééééééééééééééééééééééé"      | "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee" |
      | "snake_case and-dashes"                              | "snake-case-and-dashes"                    |
      | "٣ items"                                            | "items"                                    |

    Examples: more combinations
      | title                                                | slug                                       |
      | "Add a login page"                                   | "add-a-login-page"                         |
      | "ADD A LOGIN PAGE"                                   | "add-a-login-page"                         |
      | "TITLE IN INDIA"                                     | "title-in-india"                           |
      | "a---b___c...d"                                      | "a-b-c-d"                                  |
      | "Version 2.0.1-rc.1"                                 | "version-2-0-1-rc-1"                       |
      | "don't stop at 100%"                                 | "don-t-stop-at-100"                        |
      | "C++ & C#"                                           | "c-c"                                      |
      | "feature/branch"                                     | "feature-branch"                           |
      | "Résumé RÉSUMÉ"                                      | "resume-resume"                            |
      | "ÆØÅ smörgåsbord"                                    | "a-smorgasbord"                            |
      | "İstanbul"                                           | "istanbul"                                 |
      | "ısı"                                                | "s"                                        |
      | "Å and K"                                            | "a-and-k"                                  |
      | "Ｆｕｌｌ width"                                         | "width"                                    |
      | "x² and ½"                                           | "x-and"                                    |
      | "Ελληνικά and Latin"                                 | "and-latin"                                |
      | "한국어 title"                                          | "title"                                    |
      | "日本語"                                                | ""                                         |
      | "🚀🚀"                                                 | ""                                         |
      | "🚀 launch 🚀"                                         | "launch"                                   |
      | "ǅ and ǆ"                                            | "and"                                      |
      | "-"                                                  | ""                                         |
      | "0"                                                  | "0"                                        |
      | "   spaces around   "                                | "spaces-around"                            |
      | "abcdefghijklmnopqrstuvwxyz0123456789abcd"           | "abcdefghijklmnopqrstuvwxyz0123456789abcd" |
      | "abcdefghijklmnopqrstuvwxyz0123456789abcde"          | "abcdefghijklmnopqrstuvwxyz0123456789abcd" |
      | "abcdefghijklmnopqrstuvwxyz0123456789abc-e"          | "abcdefghijklmnopqrstuvwxyz0123456789abc"  |

  # seen in: many public reports of titles from which no branch could be made
  @name-8
  Scenario Outline: A hostile title gives exactly this slug
    Given an issue served by claude-code, whose title is <title>
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the name of the issue is its prefix, "issue", its number and the slug <slug>
    And the slug of the issue has at most 40 characters of a-z, 0-9 and single dashes

    Examples:
      | title                    | slug                                        |
      | emoji only               | ""                                          |
      | control characters       | "bell-tab-newline-escape-31m-null-ish-del"  |

    Examples: more combinations
      | title                    | slug                                        |
      | Chinese                  | ""                                          |
      | Hebrew with marks        | ""                                          |
      | two dots                 | "bump-a-b-and-etc-passwd"                   |
      | dot lock                 | "remove-index-lock-lock"                    |
      | trailing dot             | "end-of-story"                              |
      | reflog syntax            | "what-is-head-1-and-u"                      |
      | leading dashes           | "help-delete-rf"                            |
      | quotes                   | "say-hello-and-bye-now"                     |
      | Git's own characters     | "a-b-c-d-e-f-g-h-i"                         |
      | 5000 characters          | "word-word-word-word-word-word-word-word"   |
      | 5000 dashes              | ""                                          |
      | empty                    | ""                                          |
      | spaces only              | ""                                          |
      | combining marks          | "zalgo-e-o-text"                            |
      | right-to-left override   | "abc-def"                                   |
      | zero-width               | "a-b-c-d"                                   |
      | half a surrogate pair    | "bad-half"                                  |
      | a cut at a dash          | "abcdefghij-abcdefghij-abcdefghij-abcdef"   |

  @name-8
  Scenario Outline: The second issue gets its slug by the same rule as the first
    Given an issue served by <adapter>, titled "<title>"
    And a twin issue of the same title in the same project
    And an analysis run of the issue has ended
    When an analysis run of the twin issue is due
    Then the name of the issue is its prefix, "issue", its number and the slug "<slug>"
    And the name of the twin issue is its prefix, "issue", its number and the slug "<slug>"

    Examples:
      | adapter     | title                  | slug             |
      | opencode    | Créer l'été « à vélo » | creer-l-ete-a-velo |

    Examples: more combinations
      | adapter     | title                  | slug             |
      | claude-code | Fix issue #12 (again)  | fix-issue-12-again |
      | codex       | 🚀🚀                   |                  |
      | copilot     | v2.0.1                 | v2-0-1           |

  # seen in: many public reports of titles from which no branch could be made
  @name-9
  Scenario Outline: Git takes the name of any title for a branch, as it is
    Given an issue served by codex, whose title is <title>
    And the branch prefix is "<prefix>"
    When a development run of the issue is due
    Then the first run has succeeded
    And Git accepts the name of the issue as a branch name
    And the only branch pushed has the name on record

    Examples:
      | prefix    | title                    |
      | agent/    | Chinese                  |
      | agent/    | Hebrew with marks        |
      | agent/    | dot lock                 |
      | agent/    | 5000 characters          |
      | team/bot. | emoji only               |
      | team/bot. | two dots                 |

    Examples: more combinations
      | prefix    | title                    |
      | agent/    | emoji only               |
      | agent/    | two dots                 |
      | agent/    | trailing dot             |
      | agent/    | reflog syntax            |
      | agent/    | leading dashes           |
      | agent/    | quotes                   |
      | agent/    | control characters       |
      | agent/    | Git's own characters     |
      | agent/    | 5000 dashes              |
      | agent/    | empty                    |
      | agent/    | spaces only              |
      | agent/    | combining marks          |
      | agent/    | right-to-left override   |
      | agent/    | zero-width               |
      | agent/    | half a surrogate pair    |
      | agent/    | a cut at a dash          |
      | team/bot. | Chinese                  |
      | team/bot. | Hebrew with marks        |
      | team/bot. | dot lock                 |
      | team/bot. | trailing dot             |
      | team/bot. | reflog syntax            |
      | team/bot. | leading dashes           |
      | team/bot. | quotes                   |
      | team/bot. | control characters       |
      | team/bot. | Git's own characters     |
      | team/bot. | 5000 characters          |
      | team/bot. | 5000 dashes              |
      | team/bot. | empty                    |
      | team/bot. | spaces only              |
      | team/bot. | combining marks          |
      | team/bot. | right-to-left override   |
      | team/bot. | zero-width               |
      | team/bot. | half a surrogate pair    |
      | team/bot. | a cut at a dash          |

  @name-9
  Scenario Outline: Git takes the longest name that there can be
    Given issue <number> served by claude-code, titled "<title>"
    And the branch prefix is "<prefix>"
    When a development run of the issue is due
    Then the first run has succeeded
    And Git accepts the name of the issue as a branch name

    Examples:
      | prefix                                   | number              | title                                         |
      | a-prefix-of-exactly-forty-bytes-for-bots | 9007199254740991    | many words that go on and on until nobody can |

    Examples: more combinations
      | prefix                                   | number              | title                                         |
      | a-prefix-of/exactly-forty-bytes/for-bots | 9                   | wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww |

  @name-10
  Scenario Outline: Two issues of the same title differ in their number alone
    Given an issue served by <adapter>, whose title is <title>
    And a twin issue of the same title in the same project
    And an analysis run of the twin issue has ended
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the names of the issue and the twin issue differ in the number alone

    Examples:
      | adapter     | title              |
      | opencode    | control characters |

    Examples: more combinations
      | adapter     | title              |
      | claude-code | combining marks    |
      | claude-code | 5000 characters    |
      | codex       | emoji only         |
      | codex       | Hebrew with marks  |
      | copilot     | a cut at a dash    |

  @name-10
  Scenario Outline: The same prefix, number and title give the same bytes in another project and after a new start
    Given issue <number> served by <adapter>, titled "<title>"
    And an issue of the same number and title in another project of the organization
    And an analysis run of the twin issue has ended
    And the engine was killed and started again
    And 3 days have passed
    When an <phase> run of the issue is due
    Then the first run has succeeded
    And the issue and the twin issue have the same name on record

    Examples:
      | adapter     | number | title                  | phase    |
      | claude-code | 3      | INITIAL IMPORT IN IIS  | analysis |

    Examples: more combinations
      | adapter     | number | title                  | phase    |
      | codex       | 41     | İstanbul ve ısı        | answer   |
      | opencode    | 5926   | Créer l'été « à vélo » | analysis |
      | copilot     | 8      | 日本語                 | answer   |

  @name-10
  Scenario Outline: Capital letters become the same small ones in every locale
    Given issue <number> served by <adapter>, titled "<title>"
    And an issue of the same number and title in another project of the organization
    And the twin issue was retitled to "<small>"
    And an analysis run of the twin issue has ended
    When an analysis run of the issue is due
    Then the first run has succeeded
    And the issue and the twin issue have the same name on record

    Examples:
      | adapter     | number | title                 | small                 |
      | copilot     | 17     | INITIAL IMPORT IN IIS | initial import in iis |

    Examples: more combinations
      | adapter     | number | title                 | small                 |
      | claude-code | 5      | Ideas In Italics      | ideas in italics      |
      | codex       | 230    | ÉTÉ À L'ÎLE           | été à l'île           |
