"""How many calls the API of a DNS service may still be sent, for people (design 4, "API budget")."""

from __future__ import annotations

from extdns.model.value import Value


class ApiBudget(Value, frozen=True, kw_only=True):
    """A bucket of calls.

    Attributes:
        account: whose it is, "" where there is only one.
        action: the call that it is for, as the service names it; "" for all calls of the account together.
        left: calls that may be made at once; less than none while those made are paid off.
        per_s: calls that come back a second now.
        throttled: how often the service said that there were too many, since the start.
    """

    account: str
    action: str
    left: float
    per_s: float
    throttled: int
