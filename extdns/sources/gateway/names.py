"""The names that a Route has (spec sources 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from extdns.model.claim import Notice
from extdns.model.gatewayapi import Route
from extdns.model.reason import Reason
from extdns.sources.annotations import Annotations

_HOSTNAME: Final = "hostname"
_ORIGIN: Final = "gateway-hostname-source"


class _Origin(StrEnum):
    """Where a name is written. The value is what `gateway-hostname-source` says to take only such names."""

    DEFINED = "defined-hosts-only"
    ANNOTATED = "annotation-only"


Host = tuple[str, str]
"""A host name, and where it is written."""


class Name(NamedTuple):
    """A name as a Route has it.

    Attributes:
        text: "" stands for whatever a listener says.
        field: where it is written.
        left_out_by: the flag or annotation that makes nothing of it, "" if none does.
    """

    text: str
    field: str
    left_out_by: str = ""


def hosts_of(route: Route, *, named: bool) -> tuple[Host, ...]:
    """The host names of *route* and the field of each; () unless its kind is *named*."""
    return tuple(
        (host, f"spec.hostnames[{at}]") for at, host in enumerate((route.spec.hostnames or ()) if named else ())
    )


def names_of(
    hosts: Sequence[Host],
    templated: Iterable[Host],
    notes: Annotations,
    *,
    ignore_annotation: bool,
) -> tuple[Name, ...]:
    """The names of a Route.

    Args:
        hosts: as `hosts_of` gives them.
        templated: names that templates make of it, and the flag of each.
        notes: its annotations.
        ignore_annotation: whether the `hostname` annotation means nothing.
    """
    origin = _origin(notes)
    by = "" if origin is None else notes.field(_ORIGIN)
    found = [Name(host, field, by if origin is _Origin.ANNOTATED else "") for host, field in (*hosts, *templated)]
    if origin is None and not hosts:
        found.append(Name("", ""))
    return (*found, *_annotated(notes, "--ignore-hostname-annotation" if ignore_annotation else "", origin, by))


def _annotated(notes: Annotations, ignored_by: str, origin: _Origin | None, by: str) -> Iterator[Name]:
    left_out_by = ignored_by or (by if origin is _Origin.DEFINED else "")
    for host in notes.listed(_HOSTNAME):
        yield Name(host, notes.field(_HOSTNAME), left_out_by)


def notices(notes: Annotations) -> tuple[Notice, ...]:
    """What is wrong with the annotation that chooses among names; it then counts as absent."""
    if notes.get(_ORIGIN) is None or _origin(notes) is not None:
        return ()
    return (notes.notice(_ORIGIN, Reason.INVALID_ANNOTATION, " or ".join(_Origin)),)


def _origin(notes: Annotations) -> _Origin | None:
    given = (notes.get(_ORIGIN) or "").lower()
    return _Origin(given) if given in list(_Origin) else None
