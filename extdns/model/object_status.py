"""The statuses of a DNSEndpoint (which endpoints are not published as written, and why) and of a DNSPolicy.

See docs/spec/sources.md 6.3.
"""

from __future__ import annotations

from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.value import Value


class EndpointProblem(Value, frozen=True, kw_only=True):
    """One endpoint that is invalid, or not published as written.

    Attributes:
        field: where it is, as `spec.endpoints[3]`; "" if that is not known.
        name: the requested name, "" if there is none.
        detail: one clause for a person, "" if the reason is enough.
        valid: whether the endpoint itself is valid.
        published: whether its record is in every zone that it belongs to.
    """

    reason: Reason
    field: str = ""
    name: str = ""
    detail: str = ""
    valid: bool = True
    published: bool = False


class ObjectStatus(Value, frozen=True, kw_only=True):
    """The result of publishing one version of an object, once everything about it is decided and written.

    Attributes:
        generation: `metadata.generation` of that version.
        endpoints: the number of requested endpoints.
        problems: the endpoints with problems, in the order in which the object lists them.
        finalizer: whether the object needs our finalizer; None leaves it as it is.
    """

    key: ObjectKey
    generation: int
    endpoints: int
    problems: tuple[EndpointProblem, ...] = ()
    finalizer: bool | None = False


class ReleasedObject(Value, frozen=True, kw_only=True):
    """A deleted object that no longer needs our finalizer."""

    key: ObjectKey
    generation: int
    finalizer: bool = False


class PolicyStatus(Value, frozen=True, kw_only=True):
    """Whether one version of a DNSPolicy is used, and what its rule finds (docs/reference/dnspolicy.md).

    Attributes:
        generation: `metadata.generation` of that version.
        problems: what is wrong with this version; () if it is valid.
        is_used: whether any version of the DNSPolicy is used: this one, or the last valid one.
        matched: the number of records that the rule is evaluated on.
        violations: the number of records that violate it.
    """

    key: ObjectKey
    generation: int
    problems: tuple[str, ...] = ()
    is_used: bool = True
    matched: int = 0
    violations: int = 0
