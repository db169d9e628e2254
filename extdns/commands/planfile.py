"""A plan that `extdns plan --output=json` printed into a file, and what has become of what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from extdns import __version__
from extdns.commands.planfacts import PlanFacts, sealed
from extdns.errors import UsageError, shown
from extdns.facts.document import json_text
from extdns.facts.plan import Entry
from extdns.facts.words import joined
from extdns.flags.mistakes import mistake
from extdns.model.reason import meaning

_MAKE: Final = "make one: extdns plan --output=json [flags] > plan.json"
_AGAIN: Final = "look at what is planned now: extdns plan [flags]"
_MOST: Final = 5
_LONGEST: Final = 300
_Key = tuple[str, str, str, str]


class _BasisHead(msgspec.Struct):
    version: str


class _Head(msgspec.Struct):
    basis: _BasisHead


def stored_plan(path: str) -> PlanFacts:
    """The plan in the file at *path*.

    Raises:
        UsageError: there is no such file, or it is not as `extdns plan` of this version printed it.
    """
    named = f"--plan={shown(path)}"
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "no file has such a name"
        raise mistake(f"{named} cannot be read: {reason}", _MAKE) from exc
    try:
        head = msgspec.json.decode(content, type=_Head)
    except msgspec.DecodeError as exc:
        raise mistake(f"{named} is not a plan", _MAKE) from exc
    if head.basis.version != __version__:
        raise mistake(f"{named} was made by extdns {shown(head.basis.version)}, and this is {__version__}", _AGAIN)
    try:
        facts = msgspec.json.decode(content, type=PlanFacts)
    except msgspec.DecodeError as exc:
        raise _altered(named) from exc
    if content != json_text(sealed(facts)).encode():
        raise _altered(named)
    return facts


def differences(stored: PlanFacts, fresh: PlanFacts) -> Iterator[str]:
    """What is otherwise in *fresh* than in *stored*, a clause each; nothing if they are the same."""
    yield from _lists("setting", stored.basis.settings, fresh.basis.settings)
    yield from _lists("zone", (one.id for one in stored.zones), (one.id for one in fresh.zones))
    before, after = ({one.key: one for one in (*facts.changes, *facts.kept)} for facts in (stored, fresh))
    changed = [key for key in sorted(before | after) if before.get(key) != after.get(key)]
    yield from (shown(_otherwise(key, before.get(key), after.get(key)), _LONGEST) for key in changed[:_MOST])
    if len(changed) > _MOST:
        yield f"and {len(changed) - _MOST} more"
    if not changed and stored != fresh:
        yield "records, ownership records or objects that it rests on have changed"


def _altered(named: str) -> UsageError:
    return mistake(f"{named} was changed after extdns plan printed it", "a plan counts only as it was printed", _AGAIN)


def _lists(what: str, stored: Iterable[str], fresh: Iterable[str]) -> Iterator[str]:
    before, after = dict.fromkeys(stored), dict.fromkeys(fresh)
    gone, new = [one for one in before if one not in after], [one for one in after if one not in before]
    yield from (f"the {what} {shown(one)} is only in the plan" for one in gone[:_MOST])
    yield from (f"the {what} {shown(one)} is not in the plan" for one in new[:_MOST])


def _otherwise(key: _Key, stored: Entry | None, fresh: Entry | None) -> str:
    _, name, identifier, rtype = key
    what = f"{rtype} {name}{f' ({identifier})' if identifier else ''}".strip()
    planned, now = _told(stored), _told(fresh)
    if planned == now:
        return f"{what}: {now}, as planned, but of other objects or ownership records"
    return f"{what}: {planned} in the plan; now {now}"


def _told(one: Entry | None) -> str:
    if one is None:
        return "nothing"
    evidence = () if one.evidence == (meaning(one.reason),) else one.evidence
    data = (joined(one.after.targets),) if one.action == "create" and one.after else ()
    return ", ".join((f"{one.action} [{one.reason}]", *data, *evidence))
