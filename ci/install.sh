#!/usr/bin/env bash
# Installs session-tck into an environment of its own, so that nothing of the engine's Python changes, and tells the
# steps that follow which python has it. Read by action.yml; TCK_VERSION is its input `version`.
set -euo pipefail

python=$(command -v python3 || command -v python) || {
  echo '::error::there is no Python; give the input python-version' >&2
  exit 2
}
if [ "${TCK_VERSION:-}" != installed ]; then
  place=$(mktemp -d "${RUNNER_TEMP:-/tmp}/session-tck.XXXXXX")
  "$python" -m venv "$place"
  python=$place/bin/python
  # Without a version it is the kit of this very action: a workflow that pins the action has pinned the kit.
  "$python" -m pip install --quiet --disable-pip-version-check -- "${TCK_VERSION:-$GITHUB_ACTION_PATH}"
fi
"$python" -P -c 'import tck_kit' || {
  echo "::error::session-tck is not installed in $python; leave out the input version" >&2
  exit 2
}
echo "python=$python" >> "$GITHUB_OUTPUT"
