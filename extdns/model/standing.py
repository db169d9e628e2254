"""How an object stands: which of its endpoints are not published as they are written, and why (spec sources 6.3)."""

from __future__ import annotations

from extdns.model.cluster import ObjectKey
from extdns.model.reason import Reason
from extdns.model.value import Value


class Shortfall(Value, frozen=True, kw_only=True):
    """One endpoint that is wrong, or not published as it is written.

    Attributes:
        field: where it is written, as `spec.endpoints[3]`, "" where that is not known.
        name: the name that it asks for, "" where there is none.
        detail: one clause for a person, "" where the reason says it all.
        valid: whether the endpoint itself is in order.
        published: whether its record is in every zone it belongs to.
    """

    reason: Reason
    field: str = ""
    name: str = ""
    detail: str = ""
    valid: bool = True
    published: bool = False


class Standing(Value, frozen=True, kw_only=True):
    """What became of one version of an object, once everything about it is decided and written.

    Attributes:
        generation: the version.
        endpoints: how many it asks for.
        short: those of them that fall short, in the order of the object.
    """

    key: ObjectKey
    generation: int
    endpoints: int
    short: tuple[Shortfall, ...] = ()
