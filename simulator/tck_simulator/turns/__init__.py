"""Engines of turns: the simulator where there are no mailboxes, run under the policy of one profile of the annex.

Theory of operation. A `Kind` (`kinds`) is a policy with a name. The `TurnEngine` (`engine`) plays a course act by act;
a turn is carried out by `turn`, which asks `decision` whether to resume, `starting` to start a CLI, and `judgement`
what is to be made of its answer. What it keeps is a `Continuation` (`continuation`), in a `Memory` (`memory`) that is
written down before anything is announced, beside a log (`log`) of what each turn came to; a restart reads both again.
Specification: §30.4 to §30.7.
"""
