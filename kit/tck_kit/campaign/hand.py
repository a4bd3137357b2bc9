"""What a worker of the cluster does for a campaign: it starts a process for each unit, and ends them when told to.

The worker itself opens neither call nor answer, and imports nothing of what they are about.
"""

from __future__ import annotations

import asyncio
from threading import Lock

from tck_kit.campaign.apart import GRACE, STOPPED, Answer, Apart, packed, unpacked
from tck_kit.campaign.fitness import Facts, Suites, facts

#: How long the facts of a worker may take, seconds.
LONGEST_LOOK = 60.0
_at_work: dict[str, list[Apart]] = {}
#: Campaigns that are over: what of them still waits for a thread is not begun.
_over: set[str] = set()
_lock = Lock()


def do(campaign: str, call: bytes, seconds: float | None) -> bytes:
    """Make a call in a process of its own and give the answer, both packed."""
    with _lock:
        one = None if campaign in _over else Apart(call)
        if one is not None:
            _at_work.setdefault(campaign, []).append(one)
    if one is None:
        return STOPPED
    try:
        return one.answer(seconds)
    finally:
        with _lock:
            _at_work[campaign].remove(one)
            if not _at_work[campaign]:
                del _at_work[campaign]


async def end(campaign: str) -> None:
    """End what is at work for a campaign, and wait until it is gone."""
    with _lock:
        _over.add(campaign)
        mine = list(_at_work.get(campaign, ()))
    for one in mine:
        one.end()
    await asyncio.gather(*(asyncio.to_thread(one.gone, GRACE + 1) for one in mine))


async def look(suites: Suites) -> Facts | str:
    """Say what this worker would execute by, or why it cannot say."""
    said = await asyncio.to_thread(Apart(packed(facts, suites)).answer, LONGEST_LOOK)
    answer: Answer[Facts] = unpacked(said)
    if answer.result is not None:
        return answer.result
    return answer.text or f"it did not answer in {LONGEST_LOOK:g} s"
