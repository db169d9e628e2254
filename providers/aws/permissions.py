"""Check whether the caller's IAM policies allow changing a zone, by IAM's policy simulation; nothing is changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.model.zone import Permission, Zone
from providers.aws.client import build_client, open_session, translate_errors
from providers.aws.iam_policy import CHANGE, PolicyScope, escape_names, list_actions
from providers.aws.settings import AwsAccount
from providers.common.api_calls import CallFailedError, FailureKind

_SAMPLE_LABEL: Final = "extdns-check"
_POLICY: Final = "the policy that allows it: extdns iam-policy [flags]"
_UNKNOWN_ENTITY: Final = "NoSuchEntity"


class PermissionCheck:
    """Checks, by simulation of IAM policies, whether the credentials of one account may change records of a zone."""

    def __init__(self, identity: IamIdentity, scope: PolicyScope, role_arns: Iterable[str]) -> None:
        """Create a check for the changes in *scope*; *role_arns* are ARNs of roles that *identity* may have assumed."""
        self._identity = identity
        self._scope = scope
        self._role_arns = tuple(role_arns)
        self._caller = ""

    def check(self, zone: Zone) -> Permission:
        """Return whether the credentials may change records in *zone*, or why that is unknown."""
        try:
            self._caller = self._caller or self._identity.get_caller_arn()
        except CallFailedError as exc:
            return Permission(granted=None, detail=str(exc), remedy=_POLICY)
        principal = find_principal(self._caller, self._role_arns)
        if principal is None:
            detail = f"IAM simulates only the policies of users and roles, and {self._caller} is neither"
            return Permission(granted=None, detail=detail, remedy=_POLICY)
        try:
            return self._simulate(zone, principal)
        except CallFailedError as exc:
            return _explain_failure(exc, principal)

    def _simulate(self, zone: Zone, principal: str) -> Permission:
        scope = self._scope
        names = tuple(list_sample_names(scope, zone.name))
        partition = principal.split(":")[1]
        context = {
            f"{CHANGE}NormalizedRecordNames": escape_names(names),
            f"{CHANGE}RecordTypes": scope.types,
            f"{CHANGE}Actions": list_actions(scope),
        }
        arn = f"arn:{partition}:route53:::hostedzone/{zone.id}"
        found = self._identity.simulate(principal, CHANGE, arn, context)
        if found.missing_context_keys:
            keys = ", ".join(found.missing_context_keys)
            detail = f"the policies of {principal} depend on {keys}, which a simulation cannot evaluate"
            return Permission(granted=None, detail=detail, remedy=_POLICY)
        if found.decision == "allowed":
            return Permission(granted=True, detail=f"according to a simulation of the policies of {principal}")
        changes = f"{principal} {', '.join(list_actions(scope))} of {', '.join(scope.types)} at {', '.join(names)}"
        if not found.allowed_by_organization:
            detail = f"policies of the organization deny {changes}, unless a condition (not simulated) allows it"
            return Permission(granted=None, detail=detail, remedy="ask the administrators of the organization")
        denied = "a policy denies" if found.decision == "explicitDeny" else "no policy allows"
        return Permission(granted=False, detail=f"{denied} {changes}", remedy=_POLICY)


def list_sample_names(scope: PolicyScope, zone: DnsName) -> Iterator[str]:
    """Yield sample names of *zone* for the patterns in *scope*, without excluded ones; `*` is replaced by a label."""
    patterns = scope.names or (zone, f"*.{zone}")
    found = (name for pattern in patterns for name in _list_pattern_samples(pattern, zone))
    excluded = scope.excluded_names
    yield from dict.fromkeys(name for name in found if not any(fnmatchcase(name, pattern) for pattern in excluded))


def _list_pattern_samples(pattern: str, zone: DnsName) -> Iterator[str]:
    suffix = pattern.removeprefix("*.")
    if suffix == zone or suffix.endswith(f".{zone}"):
        yield suffix if suffix == pattern else f"{_SAMPLE_LABEL}.{suffix}"
    elif suffix != pattern and zone.within(suffix):
        yield from (zone, f"{_SAMPLE_LABEL}.{zone}")


def _explain_failure(error: CallFailedError, principal: str) -> Permission:
    if error.kind is FailureKind.FORBIDDEN:
        detail = f"iam:SimulatePrincipalPolicy on {principal} is not granted; extdns needs it only for this check"
        return Permission(granted=None, detail=detail, remedy=_POLICY)
    if error.code == _UNKNOWN_ENTITY:
        detail = f"IAM does not know {principal}; the role may have a path, which its credentials do not contain"
        return Permission(
            granted=None, detail=detail, remedy="set the ARN with its path in AWS_ROLE_ARN or --aws-assume-role"
        )
    return Permission(granted=None, detail=str(error), remedy=_POLICY)


_SESSION: Final = re.compile(r"arn:([a-z-]+):sts::(\d{12}):assumed-role/([^/]+)/.+")
_USER: Final = re.compile(r"arn:[a-z-]+:iam::\d{12}:user/.+")


class SimulationResult(Value, frozen=True, kw_only=True):
    """The result of a simulation of IAM policies.

    Attributes:
        decision: `allowed`, `explicitDeny` or `implicitDeny`.
        missing_context_keys: condition keys that the IAM policies need and the simulation did not get.
        allowed_by_organization: whether the policies of the organization allow it; True if there is no organization.
    """

    decision: str
    missing_context_keys: tuple[str, ...] = ()
    allowed_by_organization: bool = True


class IamIdentity:
    """Calls STS and IAM with the credentials of one account. Every call raises only `CallFailedError`."""

    def __init__(self, account: AwsAccount) -> None:
        """Create an identity. The first call looks for the credentials of *account*."""
        self._account = account
        self._session: Any = None

    def get_caller_arn(self) -> str:
        """Return the ARN of the caller; this needs no permission."""
        with translate_errors("sts", "GetCallerIdentity", ""):
            return str(self._client("sts").get_caller_identity()["Arn"])

    def simulate(
        self, principal: str, action: str, resource: str, context: Mapping[str, Sequence[str]]
    ) -> SimulationResult:
        """Simulate the IAM policies of the user or role *principal* for *action* on *resource*.

        Users, roles and resources are named by their ARNs. *context* has the values of condition keys.
        """
        entries = [
            {"ContextKeyName": key, "ContextKeyType": "stringList", "ContextKeyValues": list(values)}
            for key, values in context.items()
        ]
        with translate_errors("iam", "SimulatePrincipalPolicy", principal):
            pages = self._client("iam").get_paginator("simulate_principal_policy")
            request = {"PolicySourceArn": principal, "ActionNames": [action], "ResourceArns": [resource]}
            (found,) = pages.paginate(**request, ContextEntries=entries).search("EvaluationResults[]")
            return _parse_result(found)

    def _client(self, service: str) -> Any:  # noqa: ANN401 - as `reader`
        self._session = self._session or open_session(self._account)
        return build_client(self._session, service)


def find_principal(caller: str, role_arns: Iterable[str]) -> str | None:
    """Return the ARN of the user or role that *caller* is a session of; None for callers that IAM cannot simulate.

    The ARN of a session does not contain the path of its role. It is taken from *role_arns* if one of them matches.
    """
    if _USER.fullmatch(caller):
        return caller
    session = _SESSION.fullmatch(caller)
    if session is None:
        return None
    partition, account, role = session.groups()
    ours = f"arn:{partition}:iam::{account}:role/"
    return next((arn for arn in role_arns if arn.startswith(ours) and arn.endswith(f"/{role}")), f"{ours}{role}")


def _parse_result(found: Mapping[str, Any]) -> SimulationResult:
    return SimulationResult(
        decision=found["EvalDecision"],
        missing_context_keys=tuple(
            sorted({key for part in _list_results(found) for key in part.get("MissingContextValues", ())})
        ),
        allowed_by_organization=found.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True),
    )


def _list_results(found: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the result *found*, then the results for single resources in it, which list the missing context keys."""
    yield found
    yield from found.get("ResourceSpecificResults", ())
