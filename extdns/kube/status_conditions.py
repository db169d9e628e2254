"""Build the status of a DNSEndpoint and of a DNSPolicy (docs/reference/dnspolicy.md, "Status").

The conditions follow the Kubernetes API conventions ("Typical status properties").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from extdns.errors import sanitize
from extdns.model.object_status import EndpointProblem, ObjectStatus, PolicyStatus
from extdns.model.reason import Reason

Json = dict[str, Any]

_READY: Final = "Ready"
_ACCEPTED: Final = "accepted"
_ALL_VALID: Final = "All endpoints are valid."
_ALL_PUBLISHED: Final = "All records are published as specified."
_NO_ENDPOINTS: Final = "There are no endpoints."
_FIELD: Final = re.compile(r"spec\.endpoints\[(\d+)\]")
_MAX_NAMED: Final = 3
_MAX_ENDPOINTS: Final = 100
_MAX_DETAIL_LENGTH: Final = 300
_MAX_PROBLEMS: Final = 5
_MAX_PROBLEM_LENGTH: Final = 500
_LAST_VALID: Final = "The last valid version stays in use."
_NONE_VALID: Final = "No version of this policy is in use: new records that may match it wait, published records stay."


class _ObjectStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class _Metadata(_ObjectStruct, frozen=True, kw_only=True):
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str | None = None
    finalizers: tuple[str, ...] = ()


class _Endpoint(_ObjectStruct, frozen=True, kw_only=True):
    dns_name: str = msgspec.field(default="", name="dnsName")
    record_type: str = ""
    set_identifier: str = ""


class _EndpointsSpec(_ObjectStruct, frozen=True, kw_only=True):
    endpoints: tuple[_Endpoint | None, ...] | None = None


class ObjectWithStatus(_ObjectStruct, frozen=True, kw_only=True):
    """An object with its spec and its current status."""

    metadata: _Metadata
    spec: _EndpointsSpec = _EndpointsSpec()
    status: Json | None = None


def build_endpoint_status(object_status: ObjectStatus, found: ObjectWithStatus, now: str) -> Json:
    """Build the status of the DNSEndpoint *found*, which has the generation of *object_status*.

    Conditions that change get the transition time *now*, in RFC 3339.
    """
    invalid = [problem for problem in object_status.problems if not problem.valid]
    missing = [short for short in object_status.problems if not short.published]
    accepted, published = (_ALL_VALID, _ALL_PUBLISHED) if object_status.endpoints else (_NO_ENDPOINTS, _NO_ENDPOINTS)
    transition_times = _find_transition_times(found.status)
    conditions = [
        _build_condition("Accepted", invalid, object_status, _ACCEPTED, accepted),
        _build_condition("Programmed", missing, object_status, Reason.PUBLISHED, published),
        _build_condition(
            _READY, (*missing, *(one for one in invalid if one.published)), object_status, Reason.PUBLISHED, published
        ),
    ]
    for one in conditions:
        one["lastTransitionTime"] = transition_times.get((one["type"], one["status"]), now)
    status: Json = {"observedGeneration": object_status.generation, "conditions": conditions}
    if object_status.problems:
        status["endpoints"] = [_build_endpoint(short, found) for short in object_status.problems[:_MAX_ENDPOINTS]]
    return status


def build_policy_status(policy: PolicyStatus, found: ObjectWithStatus, now: str) -> Json:
    """Build the status of a DNSPolicy. *now* (RFC 3339) becomes the transition time of a condition that changed."""
    status = "False" if policy.problems else "True"
    condition = {
        "type": _READY,
        "status": status,
        "reason": "Invalid" if policy.problems else "Compiled",
        "message": _describe_policy(policy),
        "observedGeneration": policy.generation,
        "lastTransitionTime": _find_transition_times(found.status).get((_READY, status), now),
    }
    return {
        "observedGeneration": policy.generation,
        "conditions": [condition],
        "counts": {"matched": policy.matched, "violations": policy.violations},
    }


def drop_undeclared_fields(status: Json) -> Json:
    """Return the fields of *status* that the CRD of external-dns declares."""
    return {"observedGeneration": status["observedGeneration"]}


def has_status(status: Json, found: ObjectWithStatus) -> bool:
    """Return whether *found* already has *status*. Conditions of types that *status* does not have are ignored."""
    before = found.status or {}
    conditions_before: object = before.get("conditions")
    others = cast("list[object]", conditions_before) if isinstance(conditions_before, list) else []
    return (
        all(one in others for one in status.get("conditions", ()))
        and before.get("observedGeneration") == status["observedGeneration"]
        and all(before.get(field) == status.get(field) for field in ("endpoints", "counts"))
    )


def _build_condition(
    name: str, problems: Sequence[EndpointProblem], object_status: ObjectStatus, reason: str, message: str
) -> Json:
    if problems:
        reason = problems[0].reason.value
        more = f"; and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
        named = "; ".join(_format_problem(one) for one in problems[:_MAX_NAMED])
        message = f"{len(problems)} of {object_status.endpoints} endpoints: {named}{more}"
    return {
        "type": name,
        "status": "False" if problems else "True",
        "reason": str(reason),
        "message": message,
        "observedGeneration": object_status.generation,
    }


def _format_problem(problem: EndpointProblem) -> str:
    where = " ".join(part for part in (problem.field, problem.name) if part)
    return f"{sanitize(where)}: {_build_message(problem)} [{problem.reason}]"


def _build_message(problem: EndpointProblem) -> str:
    detail = f" {sanitize(problem.detail, _MAX_DETAIL_LENGTH)}" if problem.detail else ""
    return f"{problem.reason.row.text}{detail}"


def _build_endpoint(problem: EndpointProblem, found: ObjectWithStatus) -> Json:
    written = _find_endpoint(problem.field, found)
    entry = {
        "dnsName": written.dns_name or problem.name,
        "recordType": written.record_type,
        "setIdentifier": written.set_identifier,
        "reason": problem.reason.value,
        "message": _build_message(problem),
    }
    return {key: value for key, value in entry.items() if value or key == "dnsName"}


def _find_endpoint(field: str, found: ObjectWithStatus) -> _Endpoint:
    at, endpoints = _FIELD.match(field), found.spec.endpoints or ()
    index = int(at[1]) if at else len(endpoints)
    return (endpoints[index] if index < len(endpoints) else None) or _Endpoint()


def _describe_policy(policy: PolicyStatus) -> str:
    if not policy.problems:
        return "The rule is in use."
    named = "; ".join(sanitize(problem, _MAX_PROBLEM_LENGTH) for problem in policy.problems[:_MAX_PROBLEMS])
    more = f"; and {len(policy.problems) - _MAX_PROBLEMS} more" if len(policy.problems) > _MAX_PROBLEMS else ""
    return f"{named}{more}. {_LAST_VALID if policy.is_used else _NONE_VALID}"


def _find_transition_times(status: Json | None) -> dict[tuple[str, str], str]:
    """Return the last transition time by condition type and status. Unexpected values are ignored."""
    conditions = (status or {}).get("conditions")
    if not isinstance(conditions, list):
        return {}
    return {
        (str(one.get("type")), str(one.get("status"))): str(one["lastTransitionTime"])
        for one in cast("list[object]", conditions)
        if isinstance(one, dict) and one.get("lastTransitionTime")
    }
