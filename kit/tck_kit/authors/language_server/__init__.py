"""The language server: what `session-tck check` finds, shown while the author types.

::

    client ──▶ server (wiring) ──▶ desk (open texts) ──▶ workspace (documents, scenarios, settings; cached)
                                                              │
              diagnostics, completion, navigation, hover, actions, symbols, renaming: functions over the workspace

Texts, places and questions are the client's; everything else is what the command line does. Only this package knows
pygls and lsprotocol, and only `positions` knows in which units a client counts.
"""
