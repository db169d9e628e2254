"""Build the status of a DNSPolicy (docs/reference/dnspolicy.md, "Status")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.errors import sanitize
from extdns.kube.status_writer import find_transition_times

if TYPE_CHECKING:
    from extdns.kube.status_writer import Json, ObjectWithStatus
    from extdns.model.object_status import PolicyStatus

_READY: Final = "Ready"
_MAX_PROBLEMS: Final = 5
_MAX_PROBLEM: Final = 500
_LAST_VALID: Final = "The last valid version stays in use."
_NONE_VALID: Final = "No version of this policy is in use: new records that may match it wait, published records stay."


def build_policy_status(policy: PolicyStatus, found: ObjectWithStatus, now: str) -> Json:
    """Build the status of a DNSPolicy. *now* (RFC 3339) becomes the transition time of a condition that changed."""
    status = "False" if policy.problems else "True"
    condition = {
        "type": _READY,
        "status": status,
        "reason": "Invalid" if policy.problems else "Compiled",
        "message": _describe(policy),
        "observedGeneration": policy.generation,
        "lastTransitionTime": find_transition_times(found.status).get((_READY, status), now),
    }
    return {
        "observedGeneration": policy.generation,
        "conditions": [condition],
        "counts": {"matched": policy.matched, "violations": policy.violations},
    }


def _describe(policy: PolicyStatus) -> str:
    if not policy.problems:
        return "The rule is in use."
    named = "; ".join(sanitize(problem, _MAX_PROBLEM) for problem in policy.problems[:_MAX_PROBLEMS])
    more = f"; and {len(policy.problems) - _MAX_PROBLEMS} more" if len(policy.problems) > _MAX_PROBLEMS else ""
    return f"{named}{more}. {_LAST_VALID if policy.is_used else _NONE_VALID}"
