"""What the hosts of an object shall point at, or why that cannot be said (spec sources 1.3, 1.4, 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extdns.errors import InvalidValueError, shortened
from extdns.model.balancing import Status
from extdns.model.claim import Notice
from extdns.model.reason import Reason
from extdns.model.target import typed
from extdns.model.value import Value
from extdns.sources.annotations import Annotations

TARGET: Final = "target"

_ALLOWED: Final = "IP addresses without zone, or host names"


class Found(Value, frozen=True, kw_only=True):
    """Targets.

    Attributes:
        groups: record type and canonical, sorted targets; every type once, in order of A, AAAA, CNAME.
        notices: on targets that were left out.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    notices: tuple[Notice, ...] = ()


class Missing(Value, frozen=True, kw_only=True):
    """No target now.

    Attributes:
        reason: `NO_ENDPOINTS` if complete data says that there is none; else what is published stays.
        detail: one clause for a person.
    """

    reason: Reason
    detail: str
    notices: tuple[Notice, ...] = ()


_NO_ADDRESS: Final = Missing(reason=Reason.NO_ADDRESS, detail="status.loadBalancer has no address yet")


class LeftOut(Value, frozen=True, kw_only=True):
    """Configuration does not let these hosts be published; *by* is the flag or annotation."""

    by: str


Answer = Found | Missing | LeftOut


def found(texts: Iterable[str], field: str, *, otherwise: Missing, notices: tuple[Notice, ...] = ()) -> Found | Missing:
    """Sort *texts* by the record type that fits each; empty ones are dropped (deviation 1).

    Args:
        texts: addresses and host names as they were found.
        field: where they were found.
        otherwise: the answer if there is no text at all.
        notices: on how they were found.
    """
    groups: dict[str, set[str]] = {}
    wrong: list[Notice] = []
    for text in texts:
        if text:
            try:
                rtype, target = typed(text)
            except InvalidValueError:
                wrong.append(Notice(reason=Reason.INVALID_TARGET, field=field, value=text, allowed=_ALLOWED))
            else:
                groups.setdefault(rtype, set()).add(target)
    if groups:
        by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
        return Found(groups=by_type, notices=notices + tuple(wrong))
    if wrong:
        detail = f"{field}: {shortened(wrong[0].value)!r} is no target; allowed: {_ALLOWED}"
        return Missing(reason=Reason.INVALID_TARGET, detail=detail, notices=notices)
    return Missing(reason=otherwise.reason, detail=otherwise.detail, notices=notices + otherwise.notices)


def annotated(notes: Annotations, *, of: str = "") -> Found | Missing | None:
    """What the `target` annotation says, None if it is absent or empty; *of* names another object that bears it."""
    if not notes.get(TARGET):
        return None
    field = f"{notes.field(TARGET)} of {of}" if of else notes.field(TARGET)
    nothing = Missing(reason=Reason.INVALID_TARGET, detail=f"{field} lists nothing; allowed: {_ALLOWED}")
    return found(notes.listed(TARGET), field, otherwise=nothing)


def united(answers: Sequence[Found]) -> Found:
    """All that *answers*, of which there is one at least, found, as one."""
    if len(answers) == 1:
        return answers[0]
    groups: dict[str, set[str]] = {}
    notices: dict[Notice, None] = {}
    for answer in answers:
        notices |= dict.fromkeys(answer.notices)
        for rtype, targets in answer.groups:
            groups.setdefault(rtype, set()).update(targets)
    by_type = tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))
    return Found(groups=by_type, notices=tuple(notices))


def balanced(status: Status) -> Found | Missing:
    """What the status of a Service or an Ingress says (spec sources 3.4, 4.2)."""
    return found(_ingress_points(status), "status.loadBalancer", otherwise=_NO_ADDRESS)


def _ingress_points(status: Status) -> Iterator[str]:
    if status.load_balancer is not None:
        for point in status.load_balancer.ingress or ():
            yield point.ip
            yield point.hostname
