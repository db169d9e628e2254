"""The IAM policy of the fake Route 53, with its condition keys (developer guide, "Using IAM policy conditions").

Values of condition keys are compared as by `StringLike`. Names are in lower case, without trailing dot, with octal
escapes. `deny` refuses a batch if any of its changes meets all conditions (`ForAnyValue`). After the first `allow` for
an action, only batches are allowed of which each change meets the conditions of an allowance (`ForAllValues`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from tests.fakes.route53.batch import Change
from tests.fakes.route53.log import Call
from tests.fakes.service.answers import ApiError

ANY: Final = ("*",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A policy statement: an action and conditions. Each condition is a set of patterns, one of which must match."""

    action: str
    zone_id: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    actions: tuple[str, ...]

    def is_about(self, call: Call) -> bool:
        return fnmatchcase(call.action, self.action) and fnmatchcase(call.zone_id, self.zone_id)

    def matches(self, change: Change) -> bool:
        return all(
            any(fnmatchcase(detail, pattern) for pattern in patterns)
            for detail, patterns in (
                (change.record.name.removesuffix("."), self.names),
                (change.record.type, self.types),
                (change.action.value, self.actions),
            )
        )


class Access:
    """The current policy. Everything is allowed until something is denied or allowed."""

    def __init__(self) -> None:
        self._denied: list[Statement] = []
        self._allowed: list[Statement] = []

    def deny(
        self,
        action: str = "*",
        *,
        zone_id: str = "*",
        names: Iterable[str] = ANY,
        types: Iterable[str] = ANY,
        actions: Iterable[str] = ANY,
    ) -> None:
        """Refuse *action* from now on; refuse a batch if any change has these names, types and actions."""
        self._denied.append(_build_statement(action, zone_id, names, types, actions))

    def allow(
        self,
        action: str,
        *,
        zone_id: str = "*",
        names: Iterable[str] = ANY,
        types: Iterable[str] = ANY,
        actions: Iterable[str] = ANY,
    ) -> None:
        """Allow *action* with these conditions. Refuse the action otherwise, unless another statement allows it."""
        self._allowed.append(_build_statement(action, zone_id, names, types, actions))

    def check(self, call: Call) -> None:
        for statement in self._denied:
            if statement.is_about(call) and (not call.changes or any(map(statement.matches, call.changes))):
                raise _build_denial(call, "with an explicit deny in an identity-based policy")
        allowed = [one for one in self._allowed if fnmatchcase(call.action, one.action)]
        if allowed and not any(one.is_about(call) and all(map(one.matches, call.changes)) for one in allowed):
            raise _build_denial(call, f"because no identity-based policy allows the route53:{call.action} action")


def _build_statement(
    action: str, zone_id: str, names: Iterable[str], types: Iterable[str], actions: Iterable[str]
) -> Statement:
    return Statement(
        action=action,
        zone_id=zone_id,
        names=tuple(name.replace("[", "[[]") for name in names),
        types=tuple(types),
        actions=tuple(actions),
    )


def _build_denial(call: Call, blocked_by: str) -> ApiError:
    where = f" on resource: arn:aws:route53:::hostedzone/{call.zone_id}" if call.zone_id else ""
    user = f"arn:aws:iam::{call.account}:user/test"
    message = f"User: {user} is not authorized to perform: route53:{call.action}{where} {blocked_by}"
    return ApiError(403, "AccessDenied", message)
