"""Whether zones may be changed, by IAM's simulation of the policies of who calls; nothing is changed by asking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from extdns.model.grant import Grant
from providers.aws.identity import Identity, principal_of
from providers.aws.rights import CHANGE, actions, escaped
from providers.remote.failure import CallFailedError, Trouble

if TYPE_CHECKING:
    from extdns.model.name import DnsName
    from extdns.model.zone import Zone
    from providers.aws.rights import Scope

_LABEL: Final = "extdns-check"
_POLICY: Final = "the policy that allows it: extdns iam-policy [flags]"
_UNKNOWN_ENTITY: Final = "NoSuchEntity"


class Grants:
    """The rights of one account's credentials."""

    def __init__(self, identity: Identity, scope: Scope, named: Iterable[str]) -> None:
        """Ask as *identity* for what *scope* needs; *named* are ARNs of roles that it may have."""
        self._identity = identity
        self._scope = scope
        self._named = tuple(named)
        self._caller = ""

    def of(self, zone: Zone) -> Grant:
        """Whether *zone* may be changed."""
        try:
            self._caller = self._caller or self._identity.arn()
        except CallFailedError as exc:
            return Grant(granted=None, detail=str(exc), remedy=_POLICY)
        principal = principal_of(self._caller, self._named)
        if principal is None:
            detail = f"IAM simulates the policies of users and roles alone, and {self._caller} is neither"
            return Grant(granted=None, detail=detail, remedy=_POLICY)
        try:
            return self._told(zone, principal)
        except CallFailedError as exc:
            return _untold(exc, principal)

    def _told(self, zone: Zone, principal: str) -> Grant:
        scope = self._scope
        names = tuple(probes(scope, zone.name))
        partition = principal.split(":")[1]
        context = {
            f"{CHANGE}NormalizedRecordNames": escaped(names),
            f"{CHANGE}RecordTypes": scope.types,
            f"{CHANGE}Actions": actions(scope),
        }
        arn = f"arn:{partition}:route53:::hostedzone/{zone.id}"
        found = self._identity.simulate(principal, CHANGE, arn, context)
        if found.missing:
            detail = f"the policies of {principal} ask for {', '.join(found.missing)}, which a simulation cannot tell"
            return Grant(granted=None, detail=detail, remedy=_POLICY)
        if found.decision == "allowed":
            return Grant(granted=True, detail=f"as IAM simulates the policies of {principal}")
        what = f"{principal} {', '.join(actions(scope))} of {', '.join(scope.types)} at {', '.join(names)}"
        if not found.organization:
            detail = (
                f"policies of the organization deny {what}, if it is not for conditions, which IAM does not simulate"
            )
            return Grant(granted=None, detail=detail, remedy="ask who keeps the policies of the organization")
        denied = "a policy denies" if found.decision == "explicitDeny" else "no policy allows"
        return Grant(granted=False, detail=f"{denied} {what}", remedy=_POLICY)


def probes(scope: Scope, zone: DnsName) -> Iterator[str]:
    """Names of *zone* that stand for all that *scope* is about there; patterns with a name for each star."""
    patterns = scope.names or (zone, f"*.{zone}")
    found = (name for pattern in patterns for name in _probes(pattern, zone))
    spared = scope.spared
    yield from dict.fromkeys(name for name in found if not any(fnmatchcase(name, pattern) for pattern in spared))


def _probes(pattern: str, zone: DnsName) -> Iterator[str]:
    suffix = pattern.removeprefix("*.")
    if suffix == zone or suffix.endswith(f".{zone}"):
        yield suffix if suffix == pattern else f"{_LABEL}.{suffix}"
    elif suffix != pattern and zone.within(suffix):
        yield from (zone, f"{_LABEL}.{zone}")


def _untold(failed: CallFailedError, principal: str) -> Grant:
    if failed.trouble is Trouble.FORBIDDEN:
        detail = f"iam:SimulatePrincipalPolicy on {principal} is not granted, which extdns needs for nothing else"
        return Grant(granted=None, detail=detail, remedy=_POLICY)
    if failed.code == _UNKNOWN_ENTITY:
        detail = f"IAM knows no {principal}, and credentials do not tell the path of their role"
        return Grant(granted=None, detail=detail, remedy="name it with its path: AWS_ROLE_ARN or --aws-assume-role")
    return Grant(granted=None, detail=str(failed), remedy=_POLICY)
