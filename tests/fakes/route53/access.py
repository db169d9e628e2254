"""Who may do what, with the condition keys of Route 53 (developer guide, "Using IAM policy conditions").

Values of the keys are compared as `StringLike` does; names are in lower case, without the dot at the end, with octal
escapes. `deny` refuses a batch if any of its changes fits all the conditions (`ForAnyValue`), once `allow` was called
for an action only what fits an allowance is let through, each of its changes (`ForAllValues`).
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
    """An action with conditions, each a set of patterns of which one has to fit."""

    action: str
    zone_id: str
    account: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    actions: tuple[str, ...]

    def concerns(self, call: Call) -> bool:
        """Tell whether it is about the action and zone of *call*."""
        return all(
            fnmatchcase(said, wanted)
            for said, wanted in (
                (call.action, self.action),
                (call.zone_id, self.zone_id),
                (call.account, self.account),
            )
        )

    def fits(self, change: Change) -> bool:
        """Tell whether *change* meets its conditions."""
        return all(
            any(fnmatchcase(said, pattern) for pattern in patterns)
            for said, patterns in (
                (change.record.name.removesuffix("."), self.names),
                (change.record.type, self.types),
                (change.action.value, self.actions),
            )
        )


class Access:
    """The policy in force: everything is allowed, until something is denied or allowed."""

    def __init__(self) -> None:
        self._denied: list[Statement] = []
        self._allowed: list[Statement] = []

    def deny(
        self,
        action: str = "*",
        *,
        zone_id: str = "*",
        account: str = "*",
        names: Iterable[str] = ANY,
        types: Iterable[str] = ANY,
        actions: Iterable[str] = ANY,
    ) -> Statement:
        """Refuse *action* from now on, of a batch if any change is of these names, types and actions."""
        statement = _statement(action, zone_id, account, names, types, actions)
        self._denied.append(statement)
        return statement

    def allow(
        self,
        action: str,
        *,
        zone_id: str = "*",
        account: str = "*",
        names: Iterable[str] = ANY,
        types: Iterable[str] = ANY,
        actions: Iterable[str] = ANY,
    ) -> Statement:
        """Let through of *action* only this, and what else is allowed of it."""
        statement = _statement(action, zone_id, account, names, types, actions)
        self._allowed.append(statement)
        return statement

    def drop(self, statement: Statement) -> None:
        """Take back what `deny` or `allow` gave.

        Raises:
            ValueError: It is not in force.
        """
        (self._denied if statement in self._denied else self._allowed).remove(statement)

    def check(self, call: Call) -> None:
        """Let *call* through.

        Raises:
            ApiError: AccessDenied.
        """
        for statement in self._denied:
            if statement.concerns(call) and (not call.changes or any(map(statement.fits, call.changes))):
                raise _denied(call, "with an explicit deny in an identity-based policy")
        allowed = [one for one in self._allowed if fnmatchcase(call.action, one.action)]
        if allowed and not any(one.concerns(call) and all(map(one.fits, call.changes)) for one in allowed):
            raise _denied(call, f"because no identity-based policy allows the route53:{call.action} action")


def _statement(
    action: str, zone_id: str, account: str, names: Iterable[str], types: Iterable[str], actions: Iterable[str]
) -> Statement:
    return Statement(
        action=action,
        zone_id=zone_id,
        account=account,
        names=tuple(name.replace("[", "[[]") for name in names),
        types=tuple(types),
        actions=tuple(actions),
    )


def _denied(call: Call, why: str) -> ApiError:
    where = f" on resource: arn:aws:route53:::hostedzone/{call.zone_id}" if call.zone_id else ""
    user = f"arn:aws:iam::{call.account}:user/test"
    message = f"User: {user} is not authorized to perform: route53:{call.action}{where} {why}"
    return ApiError(403, "AccessDenied", message)
