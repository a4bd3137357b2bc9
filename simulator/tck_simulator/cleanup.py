"""Cleanup of a mailbox, and the removal of trees from the host.

Specification: CLEAN-1 to CLEAN-3, CLEAN-8, CLEAN-9, CLEAN-11, §21.3. A removal that fails is put on record and left to
the next sweep; it never stops anything.
"""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

from tck_simulator.layout import Layout
from tck_simulator.ports import Remover
from tck_simulator.rows import Mailbox
from tck_simulator.store import Store


class LocalRemover:
    """Removes trees from the local disk, whatever modes a container has left on them."""

    def remove(self, path: Path) -> None:
        """Remove everything at and below `path`; a link is removed itself, what it leads to stays (CLEAN-9)."""
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return
        path.chmod(0o700)
        for folder, names, _ in os.walk(path, followlinks=False):
            # A folder is made readable before the walk comes to it; one that cannot be read is passed over.
            for below in (Path(folder) / name for name in names):
                if not below.is_symlink():
                    below.chmod(0o700)
        shutil.rmtree(path)


class Cleaner:
    """Removes what belongs to mailboxes that have ended."""

    def __init__(self, store: Store, layout: Layout, remover: Remover) -> None:
        """Work on one engine's store and folders."""
        self._store = store
        self._layout = layout
        self._remover = remover

    def remove_state(self, mailbox: Mailbox, now: datetime) -> None:
        """Remove the session state of all adapters of one mailbox; done twice, the second is a no-op (CLEAN-8)."""
        if mailbox.session_dir is None:
            return
        if self.remove(self._layout.sessions / mailbox.session_dir, "session", now):
            self._store.set_mailbox(mailbox.id, session_dir=None)

    def remove(self, path: Path, kind: str, now: datetime) -> bool:
        """Remove a tree and say whether it is gone; a failure is put on record with its reason (CLEAN-11)."""
        try:
            self._remover.remove(path)
        except OSError as fault:
            reason = fault.strerror or type(fault).__name__
            self._store.add_incident(f"{kind}_removal", str(path), reason, now)
            return False
        return True
