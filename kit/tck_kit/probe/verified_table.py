"""Makes the simulator's table of what is verified out of the shipped records.

`python -m tck_kit.probe.verified_table simulator/tck_simulator/adapters/verified.py` writes it; a test makes it anew
and compares. The simulator knows nothing of the kit, so it gets a module of its own and not the records.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from tck_kit.probe.record import Record

_HEAD = '''\
"""What the agents' CLIs were seen to do, adapter by adapter: what may be declared of them (CAPABILITY-2).

Made of the capability records by `python -m tck_kit.probe.verified_table`, never by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId
from tck_simulator.versions import Version


@dataclass(frozen=True, slots=True)
class Verified:
    """One adapter's CLI. All three are None where no version of it was seen to resume.

    `since` is the oldest version that was seen to resume without interaction, `state` what had to be kept of its home,
    and `keeps_id` whether every resume that was seen went on under the asked id.
    """

    since: Version | None = None
    state: str | None = None
    keeps_id: bool | None = None


VERIFIED: Mapping[AdapterId, Verified] = MappingProxyType(
    {
'''


def table(records: Iterable[Record]) -> str:
    """Give the text of the module."""
    return f"{_HEAD}{''.join(_row(one) for one in records)}    }}\n)\n"


def _row(record: Record) -> str:
    able = record.abilities
    name = f"AdapterId.{record.adapter.name}"
    if able.verified_from is None:
        return f"        {name}: Verified(),\n"
    release, _, suffix = able.verified_from.partition("-")
    since = f"Version({', '.join(release.split('.'))})" if not suffix else f'Version.parse("{able.verified_from}")'
    return f'        {name}: Verified({since}, "{able.state_path}", keeps_id={able.keeps_id}),\n'


def main(arguments: list[str]) -> int:
    """Write the module to the file that the only argument names."""
    from tck_kit.probe.shipped import all_shipped  # noqa: PLC0415 -- only here are the records read

    Path(arguments[0]).write_text(table(all_shipped()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
