"""What the service refuses with: an HTTP status, a code and a message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class ApiError(Exception):
    """An error that goes back over the wire."""

    status: int
    code: str
    message: str


def invalid_input(message: str) -> ApiError:
    """The request as such is wrong."""
    return ApiError(400, "InvalidInput", message)


def invalid_batch(messages: Iterable[str]) -> ApiError:
    """A batch that is not applied, with one message an error in it."""
    return ApiError(400, "InvalidChangeBatch", f"[{', '.join(messages)}]")


def no_zone(zone_id: str) -> ApiError:
    """No such hosted zone, or one of another account."""
    return ApiError(404, "NoSuchHostedZone", f"No hosted zone found with ID: {zone_id}")


def throttled() -> ApiError:
    """Too many requests a second (developer guide, "Quotas on API requests")."""
    return ApiError(400, "Throttling", "Rate exceeded")


def still_busy() -> ApiError:
    """A change of the same zone is under way (developer guide, "Quotas on API requests")."""
    message = "The request was rejected because Route 53 was still processing a prior request."
    return ApiError(400, "PriorRequestNotComplete", message)
