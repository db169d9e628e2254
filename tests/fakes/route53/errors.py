"""What the service refuses with: an HTTP status, a code and a message."""

from __future__ import annotations

from collections.abc import Iterable

from tests.fakes.service.answers import ApiError
from tests.fakes.service.faults import Refuse


def invalid_input(message: str) -> ApiError:
    """The request as such is wrong."""
    return ApiError(400, "InvalidInput", message)


def invalid_xml(problem: str) -> ApiError:
    """The request is not as its schema wants."""
    return invalid_input(f"Invalid XML ; {problem}")


def invalid_batch(messages: Iterable[str]) -> ApiError:
    """A batch that is not applied, with one message an error in it."""
    return ApiError(400, "InvalidChangeBatch", f"[{', '.join(messages)}]")


def no_zone(zone_id: str) -> ApiError:
    """No such hosted zone."""
    return ApiError(404, "NoSuchHostedZone", f"No hosted zone found with ID: {zone_id}")


def not_yours(account: str) -> ApiError:
    """A hosted zone of another account."""
    message = f"User: arn:aws:iam::{account}:user/test is not authorized to access this resource"
    return ApiError(403, "AccessDenied", message)


def throttled() -> ApiError:
    """Too many requests a second (developer guide, "Quotas on API requests")."""
    return ApiError(400, "Throttling", "Rate exceeded")


def throttle() -> Refuse:
    """A fault that answers as if there were too many calls; with *times*, a storm."""
    error = throttled()
    return Refuse(error.status, error.code, error.message)


def still_busy() -> ApiError:
    """A change of the same zone is under way (developer guide, "Quotas on API requests")."""
    message = "The request was rejected because Route 53 was still processing a prior request."
    return ApiError(400, "PriorRequestNotComplete", message)
