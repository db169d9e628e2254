"""Errors of the fake Cloud DNS: an HTTP status and complaints, each with a reason (guide "Error messages")."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error of a refused request."""

    reason: str
    message: str


@dataclass(frozen=True)
class Refusal(Exception):
    """A refused call, with an HTTP status and complaints."""

    status: int
    complaints: tuple[Complaint, ...]

    @property
    def body(self) -> bytes:
        errors = [{"message": one.message, "domain": "global", "reason": one.reason} for one in self.complaints]
        detail = {"code": self.status, "message": self.complaints[0].message, "errors": errors}
        return json.dumps({"error": detail}).encode()


def build_refusal(status: int, reason: str, message: str) -> Refusal:
    return Refusal(status, (Complaint(reason, message),))


def build_invalid(path: str, value: object) -> Complaint:
    return Complaint("invalid", f"Invalid value for '{path}': '{value}'")


def build_no_resource(parameter: str, name: str) -> Refusal:
    """Build the refusal for a resource *name*, such as a zone, that does not exist. *parameter* is its parameter."""
    return build_refusal(404, "notFound", f"The '{parameter}' resource named '{name}' does not exist.")
