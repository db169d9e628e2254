"""Find why a name is excluded, and ownership records under another affix, for the advice on a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.model import rrtype
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.documents.names import NameSummary
    from extdns.documents.snapshot import EngineSnapshot
    from extdns.model.dns_name import DnsName

_MAX_ZONES: Final = 5
_HERITAGE: Final = "heritage=external-dns"
SWITCHES_TO_SET: Final = frozenset({"--publish-internal-services", "--gateway-listener-sets"})
"""Flags that exclude objects while they are not set; other flags exclude objects while they are."""


def explain_exclusion(cause: str) -> str:
    """Return why a name is excluded, as a clause. *cause* is `ExcludedClaim.excluded_by`."""
    if cause in SWITCHES_TO_SET:
        return f"{cause} is not set"
    field, colon, problem = cause.partition(": ")
    return f"{problem} ({field})" if colon else f"{cause}{',' if ', ' in cause else ''} excludes it"


def describe_excluded(what: str, cause: str) -> str:
    """Return that *what* is excluded by *cause*, as a phrase. *cause* is `ExcludedClaim.excluded_by`."""
    return f"{what}: {explain_exclusion(cause)}" if ": " in cause else f"{what}, by {cause}"


def suggest_for_exclusion(cause: str) -> str:
    """Return what a person can do if *cause*, which is `ExcludedClaim.excluded_by`, excludes a name."""
    if cause in SWITCHES_TO_SET:
        return f"add {cause}"
    return f"correct {cause}" if ": " in cause else f"change {cause}, or the object"


class OtherAffix(NamedTuple):
    """Ownership records under a prefix or suffix that is not ours: the flag that would read them, and their number."""

    flag: str
    records: int


_NO_AFFIX: Final = OtherAffix("", 0)


def find_other_affix(seen: EngineSnapshot, name: DnsName, row: NameSummary | None) -> OtherAffix:
    """Find ownership records that may cover a foreign record at *name* with another prefix or suffix than ours.

    *row* has the decisions about *name*.
    """
    if row is None or row.worst.reason is not Reason.FOREIGN_RECORD:
        return _NO_AFFIX
    head, _, rest = name.partition(".")
    without_affix = {head, f"a-{head}", f"aaaa-{head}", f"cname-{head}"}
    for entry in (one for one in seen.zones if one.zone in seen.zones_of(name)):
        texts = [
            one.name for one in entry.cache.all_records() if one.type == rrtype.TXT and _HERITAGE in str(one.targets)
        ]
        for text in texts:
            label, _, other_rest = text.partition(".")
            if other_rest != rest or label in without_affix:
                continue
            if found := re.fullmatch(rf"(.+?)(?:(?:a|aaaa|cname)-)?{re.escape(head)}", label):
                prefix = found[1]
                if prefix not in {"a-", "aaaa-", "cname-"}:
                    return OtherAffix(f"--txt-prefix={prefix}", sum(one.startswith(prefix) for one in texts))
            if found := re.fullmatch(rf"(?:(?:a|aaaa|cname)-)?{re.escape(head)}(.+)", label):
                return OtherAffix(f"--txt-suffix={found[1]}", sum(found[1] in one.partition(".")[0] for one in texts))
    return _NO_AFFIX


def select_zones(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first five *names* of zones, sorted: as many as are displayed."""
    return tuple(sorted(set(names))[:_MAX_ZONES])
