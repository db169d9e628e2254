"""What the service refuses with: an HTTP status and complaints, each with a reason (guide "Error messages")."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong."""

    reason: str
    message: str


@dataclass(frozen=True)
class Refusal(Exception):
    """An error that goes back over the wire."""

    status: int
    complaints: tuple[Complaint, ...]

    @property
    def body(self) -> bytes:
        """The error in JSON."""
        errors = [{"message": one.message, "domain": "global", "reason": one.reason} for one in self.complaints]
        said = {"code": self.status, "message": self.complaints[0].message, "errors": errors}
        return json.dumps({"error": said}).encode()


def refusal(status: int, reason: str, message: str) -> Refusal:
    """A refusal with one complaint."""
    return Refusal(status, (Complaint(reason, message),))


def invalid(path: str, value: object) -> Complaint:
    """A part of the request that is wrong whatever the zone holds."""
    return Complaint("invalid", f"Invalid value for '{path}': '{value}'")


def no_resource(parameter: str, name: str) -> Refusal:
    """What a parameter of the request names is not there."""
    return refusal(404, "notFound", f"The '{parameter}' resource named '{name}' does not exist.")


def throttled() -> Refusal:
    """Too many requests."""
    return refusal(429, "rateLimitExceeded", "Resource has been exhausted (e.g. check quota).")
