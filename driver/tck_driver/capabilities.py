"""What the kit asks every engine about: which parts of the specification it has, and what its driver can do.

The two kinds are not the same. An engine may decline a *feature*, and what needs it is then `unsupported`. A driver
that declines an *access* has kept the kit from looking: what needs it is `untestable`, which counts as a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tck_driver.courses import COURSE_FEATURES
from tck_driver.errors import UnsupportedError, UntestableError
from tck_driver.stimuli import STIMULUS_TYPES
from tck_driver.views import ViewName
from tck_driver.vocabulary import AdapterId

if TYPE_CHECKING:
    from tck_driver.engine import Declaration

Support = Literal["supported", "unsupported"]

#: What an engine may do without.
FEATURES: tuple[str, ...] = ("sessions", "mailbox.merge_request", *(f"adapter.{adapter}" for adapter in AdapterId))
#: Those of them that scenarios are written for one by one.
ADAPTERS: tuple[str, ...] = tuple(f"adapter.{adapter}" for adapter in AdapterId)
#: What a driver has to let the kit do.
ACCESS: tuple[str, ...] = (
    *(f"stimulus.{name}" for name in STIMULUS_TYPES),
    *(f"view.{name}" for name in get_args(ViewName)),
    "control.clock",
    "control.kill",
    "control.overwrite",
)
#: What every engine has to answer for, one by one; besides, it is asked about `COURSE_FEATURES`.
CAPABILITIES: tuple[str, ...] = (*FEATURES, *ACCESS)


#: All that an engine is asked about.
ASKED: tuple[str, ...] = (*CAPABILITIES, *COURSE_FEATURES)


def require(declaration: Declaration, capability: str) -> None:
    """Go on only where a capability is declared as supported.

    Raises `UnsupportedError` for a feature that is declined, `UntestableError` for an access that is declined and for
    anything that is undeclared. What belongs to a profile or a course has to be claimed: not to say it is to decline.
    """
    support = declaration.capabilities.get(capability)
    if support == "supported":
        return
    if capability in COURSE_FEATURES:
        raise UnsupportedError(capability)
    if support is None:
        raise UntestableError(f"{capability} is undeclared")
    if capability in FEATURES:
        raise UnsupportedError(capability)
    raise UntestableError(f"{capability} is declared unsupported, and without it the kit cannot look")
