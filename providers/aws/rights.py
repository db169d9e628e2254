"""The rights that Route 53 asks for, as policies of IAM: no more than the flags need.

Conditions on changes are those of the Route 53 developer guide, "Using IAM policy conditions for fine-grained access
control to manage resource record sets": names in lower case without the last dot, other characters as octal escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from extdns.model import rrtype
from providers.aws.wire import bare_id

Document = dict[str, object]

_WHOLE_ID: Final = re.compile(r"Z[A-Z0-9]{7,}")
_PLAIN: Final = re.compile(r"[a-z0-9_.*-]")
CHANGE: Final = "route53:ChangeResourceRecordSets"
"""The action, and what the names of its context keys begin with."""
POD_IDENTITY: Final = "pod-identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is to be allowed.

    Attributes:
        partition: `aws`, `aws-cn` or `aws-us-gov`.
        ids: ends of the ids of zones, () for all zones.
        names: patterns of names that may be changed, () for all.
        spared: patterns of names that may not.
        types: of the records that may be changed.
        conditional: whether changes are made without UPSERT.
        tags: whether zones are chosen by their tags.
    """

    partition: str = "aws"
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    conditional: bool = True
    tags: bool = False


def partition(region: str) -> str:
    """The partition in which *region* lies."""
    return "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"


def policy(scope: Scope) -> Document:
    """What the role must be allowed that reads and writes zones."""
    zones = [f"arn:{scope.partition}:route53:::hostedzone/{_pattern(one)}" for one in scope.ids] or [
        f"arn:{scope.partition}:route53:::hostedzone/*"
    ]
    whole = bool(scope.ids) and all(_WHOLE_ID.fullmatch(bare_id(one)) for one in scope.ids)
    finding = (
        _allow("Find", ["route53:GetHostedZone"], zones)
        if whole
        else _allow("Find", ["route53:ListHostedZones"], ["*"])
    )
    reading = ["route53:ListResourceRecordSets", *(["route53:ListTagsForResources"] if scope.tags else [])]
    change = _allow("Change", [CHANGE], zones) | {"Condition": _conditions(scope)}
    return _document(finding, _allow("Read", reading, zones), change)


def assuming(role: str) -> Document:
    """What the pod's own identity must be allowed where another *role* does the rest."""
    return _document(_allow("Assume", ["sts:AssumeRole"], [role]))


def trust(provider: str, namespace: str, account: str) -> Document:
    """Whom the role trusts: one service *account*, by Pod Identity or by the OIDC *provider* of its cluster (IRSA)."""
    if provider == POD_IDENTITY:
        return _document(
            {
                "Sid": "PodIdentity",
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {
                    "StringEquals": {
                        "aws:RequestTag/kubernetes-namespace": namespace,
                        "aws:RequestTag/kubernetes-service-account": account,
                    }
                },
            }
        )
    issuer = provider.partition(":oidc-provider/")[2]
    wanted = {f"{issuer}:aud": "sts.amazonaws.com", f"{issuer}:sub": f"system:serviceaccount:{namespace}:{account}"}
    return _document(
        {
            "Sid": "ServiceAccount",
            "Effect": "Allow",
            "Principal": {"Federated": provider},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": wanted},
        }
    )


def patterns(suffixes: Iterable[str], marks: Iterable[str]) -> tuple[str, ...]:
    """Patterns of the names that *suffixes* of domain filters let pass, and of the *marks* that these do not cover."""
    found = dict.fromkeys(text for suffix in suffixes for text in _covering(suffix))
    below = tuple(text[1:] for text in found if text.startswith("*"))
    others = sorted({mark for mark in marks if mark not in found and not mark.endswith(below)})
    return (*found, *others)


def changed_types(managed: Iterable[str], *, marked: bool) -> tuple[str, ...]:
    """The types that changes are of: a CNAME may become an alias, and marks are TXT records."""
    types = set(managed) | ({rrtype.TXT} if marked else set())
    return tuple(sorted(types | (rrtype.ADDRESSES if rrtype.CNAME in types else frozenset())))


def _covering(suffix: str) -> tuple[str, ...]:
    domain = suffix.removeprefix(".")
    return (f"*.{domain}",) if suffix.startswith(".") else (domain, f"*.{domain}")


def _pattern(zone_id: str) -> str:
    bare = bare_id(zone_id)
    return bare if _WHOLE_ID.fullmatch(bare) else f"*{bare}"


def actions(scope: Scope) -> list[str]:
    """What changes do."""
    return ["CREATE", "DELETE", *([] if scope.conditional else ["UPSERT"])]


def _conditions(scope: Scope) -> Document:
    equals = {f"{CHANGE}Actions": actions(scope), f"{CHANGE}RecordTypes": list(scope.types)}
    conditions: Document = {"ForAllValues:StringEquals": equals}
    if scope.names:
        conditions["ForAllValues:StringLike"] = {f"{CHANGE}NormalizedRecordNames": escaped(scope.names)}
    if scope.spared:
        conditions["ForAllValues:StringNotLike"] = {f"{CHANGE}NormalizedRecordNames": escaped(scope.spared)}
    return conditions


def escaped(names: Sequence[str]) -> list[str]:
    """*names*, or patterns of them, as the context key has them."""
    return ["".join(char if _PLAIN.fullmatch(char) else f"\\{ord(char):03o}" for char in name) for name in names]


def _allow(sid: str, actions: list[str], resources: list[str]) -> Document:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}


def _document(*statements: Document) -> Document:
    return {"Version": "2012-10-17", "Statement": list(statements)}
