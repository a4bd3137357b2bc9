"""What each CLI leaves in its home besides the session's state: the files that are found there, without their content.

A stand-in that is a program of its own leaves them too, so that whoever looks at a home sees what the real one shows.
Databases are empty, and what a CLI only unpacks (skills, snapshots) is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from tck_fakes.standins.base import Invocation

#: Program → the variable that moves its folder, and the folder itself.
_FOLDERS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "codex": ("CODEX_HOME", ".codex"),
    "opencode": ("", ""),
    "copilot": ("COPILOT_HOME", ".copilot"),
}
#: Files by their mode; `{ms}` is the time, `{pid}` a process. A name that ends in `/` is a folder.
_LEAVES: Mapping[str, Mapping[str, int]] = {
    "claude": {"backups/.claude.json.backup.{ms}": 0o600, "sessions/": 0o700},
    "codex": {
        ".sandbox_migration": 0o600,
        "installation_id": 0o644,
        **{
            f"{name}.sqlite{more}": 0o644
            for name in ("goals_1", "logs_2", "memories_1", "queue_1", "state_5", "thread_history_1")
            for more in ("", "-shm", "-wal")
        },
        "shell_snapshots/": 0o755,
        "skills/": 0o755,
        "thread-writer-locks/.coordination.lock": 0o644,
        "tmp/": 0o755,
    },
    "opencode": {
        ".cache/opencode/bin/": 0o755,
        ".config/opencode/.gitignore": 0o644,
        ".local/share/opencode/log/opencode.log": 0o644,
        ".local/share/opencode/repos/": 0o755,
        ".local/share/opencode/snapshot/": 0o755,
        ".local/state/opencode/locks/": 0o755,
    },
    "copilot": {
        "config.json": 0o600,
        "installed-plugins/": 0o755,
        "logs/.copilot-log.lock": 0o644,
        "logs/process-{ms}-{pid}.log": 0o600,
        **{f"session-store.db{more}": 0o644 for more in ("", "-shm", "-wal")},
        "settings.json.lock": 0o644,
    },
}
#: What lies in the home itself.
_AT_HOME = {"claude": {".claude.json": 0o600}}


def leave_files(program: str, call: Invocation, pid: int) -> None:
    """Leave them, where they can be left and are not there yet."""
    variable, inner = _FOLDERS.get(program, ("", ""))
    folder = call.environment.get(variable) or f"{call.home}/{inner}".rstrip("/")
    ms = int(call.now.timestamp() * 1000)
    wanted = {f"{folder}/{name}": mode for name, mode in _LEAVES.get(program, {}).items()}
    wanted |= {f"{call.home}/{name}": mode for name, mode in _AT_HOME.get(program, {}).items()}
    for form, mode in wanted.items():
        place = form.format(ms=ms, pid=pid)
        try:
            if place.endswith("/"):
                call.view.make_dirs(place.rstrip("/"), mode)
            elif not call.view.exists(place):
                call.view.write(place, b"", mode)
        except OSError:
            # A real CLI that cannot keep its logs goes on without them.
            continue
