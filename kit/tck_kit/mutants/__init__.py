"""The hunt for faulty engines: each goes through the scenarios of the requirement that it breaks, to see which kill it.

Theory of operation. A `Plan` (`plan`) says which faults meet which scenarios, and cuts that into `Unit`s (`unit`):
plain values that can be sent anywhere. `hunter.hunt` turns one unit into a `Hunted`, in process and without any state
of its own; `hunters` has several processes do that side by side, and knows what to make of one that dies or hangs.
`matrix.merge` puts the pieces together, in whatever order they come, and judges: a fault that no scenario of its own
requirement notices shows a hole in the suite, and a requirement that no fault breaks has never been seen to fail.
`rounds` goes on from there, so that a scenario is known to kill nothing without every fault meeting every scenario.
`pairs` looks for faults that hide one another. `words` says it, for `show` (a person at a terminal), `page`
(`kill-matrix.md`) and `fields` (`kill-matrix.json`).
"""
