"""Which project and which mailbox an event is about, and the same event about another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tck_driver.stimuli import BindingChanged, MergeRequestEventSent, PrefixChanged, SettingChanged
from tck_driver.vocabulary import MailboxRef
from tck_features.history.events import Event, ProjectThere, Sent, SettingStored

Place = tuple[str, str]
#: What a reader likes to read.
PLAIN_PLACES: tuple[Place, ...] = (("acme", "shop"), ("acme", "site"), ("other", "shop"))
PLAIN_NUMBERS = (1, 2, 3)


def mailbox_of(event: Event) -> MailboxRef | None:
    """Give the mailbox that an event is about."""
    held = event.stimulus if isinstance(event, Sent) else event
    return getattr(held, "mailbox", None)


def place_of(event: Event) -> Place | None:
    """Give the organization and project that an event is about."""
    match event:
        case ProjectThere(project=project):
            return (project.organization, project.name)
        case Sent(stimulus=BindingChanged() | PrefixChanged() | MergeRequestEventSent() as stimulus):
            return (stimulus.organization, stimulus.project)
        case _:
            ref = mailbox_of(event)
            return None if ref is None else (ref.organization, ref.project)


def moved(events: tuple[Event, ...], here: Place, there: Place) -> tuple[Event, ...]:
    """Tell the same of another project, settings of its organization included."""
    return tuple(_moved(event, here, there) for event in events)


def renumbered(events: tuple[Event, ...], ref: MailboxRef, iid: int) -> tuple[Event, ...]:
    """Tell the same of an issue or merge request of another number."""
    other = replace(ref, iid=iid)
    return tuple(_about(event, other) if mailbox_of(event) == ref else event for event in events)


def plainer_addresses(events: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
    """Give the same history with plainer names and numbers, as far as they are free."""
    places = [place for place in dict.fromkeys(map(place_of, events)) if place is not None]
    refs = [ref for ref in dict.fromkeys(map(mailbox_of, events)) if ref is not None]
    for place in places:
        for plain in PLAIN_PLACES:
            if place not in PLAIN_PLACES and plain not in places:
                yield moved(events, place, plain)
    for ref in refs:
        for number in PLAIN_NUMBERS:
            if number < ref.iid and replace(ref, iid=number) not in refs:
                yield renumbered(events, ref, number)


def _moved(event: Event, here: Place, there: Place) -> Event:
    match event:
        case SettingStored(setting=(scope, organization, project, name, value)):
            return SettingStored((scope, *_renamed(organization, project, here, there), name, value))
        case Sent(stimulus=SettingChanged() as stimulus):
            organization, project = _renamed(stimulus.organization, stimulus.project, here, there)
            return Sent(replace(stimulus, organization=organization, project=project))
        case _:
            return _at(event, there) if place_of(event) == here else event


def _at(event: Event, there: Place) -> Event:
    organization, project = there
    match event:
        case ProjectThere(project=config):
            return ProjectThere(replace(config, organization=organization, name=project))
        case Sent(stimulus=BindingChanged() | PrefixChanged() | MergeRequestEventSent() as stimulus):
            return Sent(replace(stimulus, organization=organization, project=project))
        case _:
            ref = mailbox_of(event)
            return event if ref is None else _about(event, replace(ref, organization=organization, project=project))


def _renamed(organization: str, project: str, here: Place, there: Place) -> Place:
    if (organization, project) == here:
        return there
    return (there[0], "") if (organization, project) == (here[0], "") else (organization, project)


def _about(event: Event, ref: MailboxRef) -> Event:
    """Give an event that has a mailbox with another one."""
    held: Any = event.stimulus if isinstance(event, Sent) else event
    other = replace(held, mailbox=ref)
    return Sent(other) if isinstance(event, Sent) else other
