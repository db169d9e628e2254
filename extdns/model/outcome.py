"""What became of a batch (design 4, "Outcome of a batch")."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.name import DnsName
from extdns.model.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """Every write was made.

    Attributes:
        records: what stands now at the written keys (removed ones left out), in the form in which
            it would be read.
        reference: the service's name for the change, "" if it has none.
    """

    records: tuple[Record, ...]
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Something was not as the batch said: it exists, is gone, or does not match. Nothing was written.

    Attributes:
        culprits: names the service spoke of, () if it named none.
    """

    message: str
    culprits: tuple[DnsName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The service does not take this; nothing was written.

    Attributes:
        culprits: names the service spoke of, () if it named none.
    """

    message: str
    culprits: tuple[DnsName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """A right is missing; nothing was written."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TryLater:
    """Throttled, busy or failing; nothing was written."""

    message: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """No answer came: the batch may or may not have been applied."""

    message: str


Outcome = Applied | Conflict | Refused | Forbidden | TryLater | Unknown
