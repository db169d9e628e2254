"""What became of a batch (design 4, "Outcome of a batch").

Where a service is not atomic, "nothing was written" holds for the write that failed and for those after it alone.
"""

from __future__ import annotations

from extdns.model.name import DnsName
from extdns.model.record import Record
from extdns.model.value import Value


class Applied(Value, frozen=True, kw_only=True):
    """Every write was made.

    Attributes:
        records: what stands now at the written keys (removed ones left out), in the form in which
            it would be read.
        reference: the service's name for the change, "" if it has none.
        unconditional: whether something may have been overwritten that the plan had not seen.
    """

    records: tuple[Record, ...]
    reference: str = ""
    unconditional: bool = False


class Conflict(Value, frozen=True, kw_only=True):
    """Something was not as the batch said: it exists, is gone, or does not match. Nothing was written.

    Attributes:
        culprits: names the service spoke of, () if it named none.
    """

    message: str
    culprits: tuple[DnsName, ...] = ()


class Refused(Value, frozen=True, kw_only=True):
    """The service does not take this; nothing was written.

    Attributes:
        culprits: names the service spoke of, () if it named none.
    """

    message: str
    culprits: tuple[DnsName, ...] = ()


class Forbidden(Value, frozen=True, kw_only=True):
    """A right is missing; nothing was written."""

    message: str


class TryLater(Value, frozen=True, kw_only=True):
    """Throttled, busy or failing; nothing was written."""

    message: str
    retry_after_s: float | None = None


class Unknown(Value, frozen=True, kw_only=True):
    """No answer came: the batch may or may not have been applied."""

    message: str


Outcome = Applied | Conflict | Refused | Forbidden | TryLater | Unknown
