"""Errors of the fake Route 53: an HTTP status, a code and a message."""

from __future__ import annotations

from collections.abc import Iterable

from tests.fakes.service.answers import ApiError
from tests.fakes.service.faults import Refuse


def build_invalid_input(message: str) -> ApiError:
    return ApiError(400, "InvalidInput", message)


def build_invalid_xml(problem: str) -> ApiError:
    return build_invalid_input(f"Invalid XML ; {problem}")


def build_invalid_batch(messages: Iterable[str]) -> ApiError:
    return ApiError(400, "InvalidChangeBatch", f"[{', '.join(messages)}]")


def build_no_zone(zone_id: str) -> ApiError:
    return ApiError(404, "NoSuchHostedZone", f"No hosted zone found with ID: {zone_id}")


def build_other_account(account: str) -> ApiError:
    message = f"User: arn:aws:iam::{account}:user/test is not authorized to access this resource"
    return ApiError(403, "AccessDenied", message)


def build_throttled() -> ApiError:
    """Build the error for too many requests a second (developer guide, "Quotas on API requests")."""
    return ApiError(400, "Throttling", "Rate exceeded")


def build_throttling_fault() -> Refuse:
    """Build a fault that answers calls as if there were too many. Arm it with *times* to affect several calls."""
    error = build_throttled()
    return Refuse(error.status, error.code, error.message)


def build_zone_busy() -> ApiError:
    """Build the error for a change during another change of the zone (developer guide, "Quotas on API requests")."""
    message = "The request was rejected because Route 53 was still processing a prior request."
    return ApiError(400, "PriorRequestNotComplete", message)
