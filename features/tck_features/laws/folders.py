"""How the directory that holds an issue's sessions is called: the rule of §3.4, candidate by candidate.

Which candidate is taken follows from what other mailboxes hold; that is `tck_features.laws.mailboxes`' to know.
Specification: ISOLATE-1, ISOLATE-8.
"""

from __future__ import annotations

import hashlib
import re

from tck_driver.vocabulary import MailboxRef

#: Of a name, in characters.
LONGEST_NAME = 200
#: How many digits tell a name apart, one after the other.
DIGITS = (8, 16, 32, 64)

_PLAIN = re.compile(r"[A-Za-z0-9._-]*")
_OTHER = re.compile(r"[^A-Za-z0-9._-]")


def folder_names(ref: MailboxRef) -> tuple[str, ...]:
    """Give every name that the session directory of an issue can have, in the order in which they are tried."""
    joined = f"{ref.organization}-{ref.project}-issue-{ref.iid}"
    fit = _PLAIN.fullmatch(ref.organization) and _PLAIN.fullmatch(ref.project)
    plain = (joined,) if fit and not joined.startswith(".") and len(joined) <= LONGEST_NAME else ()
    clean = _OTHER.sub("_", joined)
    if clean.startswith("."):
        clean = f"_{clean[1:]}"
    address = b"\0".join(part.encode() for part in (ref.organization, ref.project, str(ref.iid)))
    digest = hashlib.sha256(address).hexdigest()
    return (*plain, *(f"{clean[:LONGEST_NAME]}~{digest[:digits]}" for digits in DIGITS))
