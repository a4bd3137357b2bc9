"""The lock: what a specification required when it was last looked at, and what has become of it since.

::

    document ──▶ statements ──▶ matching ◀── lock file
                                   │
                                   ├──▶ changes ──▶ effects on scenarios
                                   └──▶ the lock as it is now

An id is minted once and then frozen, so it survives edits, moves and new numbers of sections; what it was said of is
kept in full.
"""

from __future__ import annotations
