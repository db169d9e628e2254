"""Who calls AWS, and what IAM says that it may do (API references of STS and IAM, `SimulatePrincipalPolicy`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from extdns.model.value import Value
from providers.aws.client import translated
from providers.aws.session import reader, session_of

if TYPE_CHECKING:
    from providers.aws.settings import Access

_SESSION: Final = re.compile(r"arn:([a-z-]+):sts::(\d{12}):assumed-role/([^/]+)/.+")
_USER: Final = re.compile(r"arn:[a-z-]+:iam::\d{12}:user/.+")


class Simulated(Value, frozen=True, kw_only=True):
    """What policies come to.

    Attributes:
        decision: `allowed`, `explicitDeny` or `implicitDeny`.
        missing: context keys that the policies ask for and the simulation was not told.
        organization: whether the organization lets it pass, or there is none.
    """

    decision: str
    missing: tuple[str, ...] = ()
    organization: bool = True


class Identity:
    """The identity of one account's credentials. Every call raises `CallFailedError` alone, and changes nothing."""

    def __init__(self, access: Access) -> None:
        """Call with the credentials that *access* leads to, which are looked for by the first call."""
        self._access = access
        self._session: Any = None

    def arn(self) -> str:
        """Who calls; everybody may ask."""
        with translated("sts", "GetCallerIdentity", ""):
            return str(self._client("sts").get_caller_identity()["Arn"])

    def simulate(self, principal: str, action: str, resource: str, context: Mapping[str, Sequence[str]]) -> Simulated:
        """What the policies of the user or role *principal* come to for *action* on *resource*.

        Args:
            principal: its ARN, with its path.
            action: such as `route53:ChangeResourceRecordSets`.
            resource: its ARN.
            context: values of context keys.
        """
        entries = [
            {"ContextKeyName": key, "ContextKeyType": "stringList", "ContextKeyValues": list(values)}
            for key, values in context.items()
        ]
        with translated("iam", "SimulatePrincipalPolicy", principal):
            pages = self._client("iam").get_paginator("simulate_principal_policy")
            asked = {"PolicySourceArn": principal, "ActionNames": [action], "ResourceArns": [resource]}
            (found,) = pages.paginate(**asked, ContextEntries=entries).search("EvaluationResults[]")
            return _simulated(found)

    def _client(self, service: str) -> Any:  # noqa: ANN401 - as `reader`
        self._session = self._session or session_of(self._access)
        return reader(self._session, service)


def principal_of(caller: str, named: Iterable[str]) -> str | None:
    """The ARN of the user or role that *caller* is; None for others, whose policies IAM does not simulate.

    A session does not tell the path of its role: *named* are ARNs of roles, one of which may be it.
    """
    if _USER.fullmatch(caller):
        return caller
    session = _SESSION.fullmatch(caller)
    if session is None:
        return None
    partition, account, role = session.groups()
    ours = f"arn:{partition}:iam::{account}:role/"
    return next((arn for arn in named if arn.startswith(ours) and arn.endswith(f"/{role}")), f"{ours}{role}")


def _simulated(found: Mapping[str, Any]) -> Simulated:
    return Simulated(
        decision=found["EvalDecision"],
        missing=tuple(sorted({key for part in _parts(found) for key in part.get("MissingContextValues", ())})),
        organization=found.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True),
    )


def _parts(found: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The result and its parts, of which those of single resources name the context keys."""
    yield found
    yield from found.get("ResourceSpecificResults", ())
