"""Check whether the caller's IAM policies allow changing a zone, by IAM's policy simulation; nothing is changed.

Of what will be written only samples are known: a name of a zone, a service of a namespace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from extdns.model.dns_name import DnsName
from extdns.model.zone import Permission, Zone
from providers.aws.client import build_client, open_session, translate_errors
from providers.aws.cloudmap.client import CloudMapNamespace
from providers.aws.iam_policy import CHANGE, CREATE_SERVICE, PolicyScope, escape_names, list_actions
from providers.aws.settings import AwsAccount
from providers.common.api_calls import CallFailedError, FailureKind

_SAMPLE_LABEL: Final = "extdns-check"
_UNKNOWN_ENTITY: Final = "NoSuchEntity"


class Simulation(NamedTuple):
    """What IAM simulates: actions on a resource, with the values of condition keys; *changes* says it to people."""

    actions: tuple[str, ...]
    resource: str
    changes: str
    context: Mapping[str, Sequence[str]] = MappingProxyType({})


class PermissionCheck:
    """Checks, by simulation of IAM policies, whether the credentials of one account may change records of a zone."""

    def __init__(
        self,
        account: AwsAccount,
        role: str,
        list_simulations: Callable[[Zone, str], Iterable[Simulation]],
        command: str,
    ) -> None:
        """Check the credentials of *account*, which may be of the role with the ARN *role*, "" if none is known.

        *list_simulations* returns what must be allowed to change a zone, from the zone and the AWS partition; *command*
        prints the policy that allows it. The first call looks for the credentials.
        """
        self._account = account
        self._role_arns = tuple(filter(None, (account.role, role)))
        self._list_simulations = list_simulations
        self._policy = f"the policy that allows it: {command} [flags]"
        self._session: Any = None
        self._caller = ""

    def check(self, zone: Zone) -> Permission:
        """Return whether the credentials may change records in *zone*, or why that is unknown."""
        try:
            self._caller = self._caller or self._get_caller_arn()
        except CallFailedError as exc:
            return Permission(granted=None, detail=str(exc), remedy=self._policy)
        principal = find_principal(self._caller, self._role_arns)
        if principal is None:
            detail = f"IAM simulates only the policies of users and roles, and {self._caller} is neither"
            return Permission(granted=None, detail=detail, remedy=self._policy)
        try:
            for simulation in self._list_simulations(zone, principal.split(":")[1]):
                if problem := self._simulate(simulation, principal):
                    return problem
        except CallFailedError as exc:
            return self._explain_failure(exc, principal)
        return Permission(granted=True, detail=f"according to a simulation of the policies of {principal}")

    def _get_caller_arn(self) -> str:
        """Return the ARN of the caller; this needs no permission."""
        with translate_errors("sts", "GetCallerIdentity", ""):
            return str(self._client("sts").get_caller_identity()["Arn"])

    def _simulate(self, simulation: Simulation, principal: str) -> Permission | None:
        """Return why an action is not known to be allowed to *principal*, an ARN with the path; None if all are."""
        entries = [
            {"ContextKeyName": key, "ContextKeyType": "stringList", "ContextKeyValues": list(values)}
            for key, values in simulation.context.items()
        ]
        with translate_errors("iam", "SimulatePrincipalPolicy", principal):
            pages = self._client("iam").get_paginator("simulate_principal_policy")
            wanted = {"ActionNames": list(simulation.actions), "ResourceArns": [simulation.resource]}
            found = pages.paginate(PolicySourceArn=principal, **wanted, ContextEntries=entries)
            results = list(found.search("EvaluationResults[]"))
            problems = (self._find_problem(one, simulation, principal) for one in results)
            return next(filter(None, problems), None)

    def _client(self, service: str) -> Any:  # noqa: ANN401 - as `build_client`
        self._session = self._session or open_session(self._account)
        return build_client(self._session, service)

    def _find_problem(self, found: Mapping[str, Any], simulation: Simulation, principal: str) -> Permission | None:
        """Return why the action in the result *found* is not known to be allowed; None if it is allowed."""
        # the results for single resources list the condition keys that the policies need and the simulation lacks
        results = (found, *found.get("ResourceSpecificResults", ()))
        if keys := ", ".join(sorted({key for one in results for key in one.get("MissingContextValues", ())})):
            detail = f"the policies of {principal} depend on {keys}, which a simulation cannot evaluate"
            return Permission(granted=None, detail=detail, remedy=self._policy)
        action, decision = found["EvalActionName"], found["EvalDecision"]
        if decision == "allowed":
            return None
        changes = f"{principal} {simulation.changes or f'{action} on {simulation.resource}'}"
        if not found.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True):
            detail = f"policies of the organization deny {changes}, unless a condition (not simulated) allows it"
            return Permission(granted=None, detail=detail, remedy="ask the administrators of the organization")
        denied = "a policy denies" if decision == "explicitDeny" else "no policy allows"
        return Permission(granted=False, detail=f"{denied} {changes}", remedy=self._policy)

    def _explain_failure(self, error: CallFailedError, principal: str) -> Permission:
        if error.kind is FailureKind.FORBIDDEN:
            detail = f"iam:SimulatePrincipalPolicy on {principal} is not granted; extdns needs it only for this check"
            return Permission(granted=None, detail=detail, remedy=self._policy)
        if error.code == _UNKNOWN_ENTITY:
            detail = f"IAM does not know {principal}; the role may have a path, which its credentials do not contain"
            return Permission(
                granted=None, detail=detail, remedy="set the ARN with its path in AWS_ROLE_ARN or --aws-assume-role"
            )
        return Permission(granted=None, detail=str(error), remedy=self._policy)


def list_route53_simulations(scope: PolicyScope, zone: Zone, partition: str) -> Iterator[Simulation]:
    """Yield what must be allowed to make the changes in *scope* in a zone of Route 53."""
    names = tuple(list_sample_names(scope, zone.name))
    context = {
        f"{CHANGE}NormalizedRecordNames": escape_names(names),
        f"{CHANGE}RecordTypes": scope.types,
        f"{CHANGE}Actions": list_actions(scope),
    }
    changes = f"{', '.join(list_actions(scope))} of {', '.join(scope.types)} at {', '.join(names)}"
    yield Simulation((CHANGE,), f"arn:{partition}:route53:::hostedzone/{zone.id}", changes, context)


def list_cloud_map_simulations(
    namespace: CloudMapNamespace, writes: Iterable[str], partition: str
) -> Iterator[Simulation]:
    """Yield what must be allowed to make *writes* in *namespace*, and by that changes of its zone in Route 53.

    The service authorization reference says which kind of resource each action is about.
    """
    context = {"servicediscovery:NamespaceArn": (namespace.arn,)}
    yield Simulation((CREATE_SERVICE,), namespace.arn, "", context)
    services = namespace.arn.replace(f":namespace/{namespace.id}", f":service/srv-{_SAMPLE_LABEL}")
    yield Simulation(tuple(one for one in writes if one != CREATE_SERVICE), services, "")
    zone = f"arn:{partition}:route53:::hostedzone/{namespace.hosted_zone}"
    yield Simulation(("route53:GetHostedZone", CHANGE), zone, "")


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


_SESSION: Final = re.compile(r"arn:([a-z-]+):sts::(\d{12}):assumed-role/([^/]+)/.+")
_USER: Final = re.compile(r"arn:[a-z-]+:iam::\d{12}:user/.+")


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
