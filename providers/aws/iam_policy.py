"""Build the IAM policies that extdns needs for its flags, with the fewest permissions.

The conditions on changes follow the Route 53 developer guide, "Using IAM policy conditions for fine-grained access
control to manage resource record sets": names in lower case without the last dot, other characters as octal escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from extdns.model import rrtype
from providers.aws.record_sets import strip_id_path

PolicyDocument = dict[str, object]

_COMPLETE_ID: Final = re.compile(r"Z[A-Z0-9]{7,}")
_PLAIN_CHARACTER: Final = re.compile(r"[a-z0-9_.*-]")
CHANGE: Final = "route53:ChangeResourceRecordSets"
"""The IAM action for changes of records, which is also the prefix of its condition keys."""
CREATE_SERVICE: Final = "servicediscovery:CreateService"
_TABLE_ACTIONS: Final = ("BatchGetItem", "ConditionCheckItem", "DeleteItem", "DescribeTable", "PutItem", "Scan")
POD_IDENTITY: Final = "pod-identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyScope:
    """What an IAM policy must allow.

    Attributes:
        partition: `aws`, `aws-cn` or `aws-us-gov`.
        zone_ids: suffixes of zone ids, () for all zones.
        names: patterns of the names that may be changed, () for all.
        conditional: whether UPSERT is not used, so need not be allowed.
        table: region and name of the table of DynamoDB that has the ownership of records, * for any region; None if
            there is none.
    """

    partition: str = "aws"
    zone_ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    excluded_names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    conditional: bool = True
    filters_by_tag: bool = False
    table: tuple[str, str] | None = None


def find_partition(region: str) -> str:
    """Return the AWS partition that contains *region*: `aws`, `aws-cn` or `aws-us-gov`."""
    return "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"


def render(document: PolicyDocument) -> str:
    """Return *document* as JSON."""
    return json.dumps(document, indent=2)


def build_policy(scope: PolicyScope) -> PolicyDocument:
    """Return the IAM policy of the role that reads and writes zones."""
    zones = [f"arn:{scope.partition}:route53:::hostedzone/{_build_id_pattern(one)}" for one in scope.zone_ids] or [
        f"arn:{scope.partition}:route53:::hostedzone/*"
    ]
    has_complete_ids = bool(scope.zone_ids) and all(
        _COMPLETE_ID.fullmatch(strip_id_path(one)) for one in scope.zone_ids
    )
    find_zones = (
        _build_statement("Find", ["route53:GetHostedZone"], zones)
        if has_complete_ids
        else _build_statement("Find", ["route53:ListHostedZones"], ["*"])
    )
    read_actions = [
        "route53:ListResourceRecordSets",
        *(["route53:ListTagsForResources"] if scope.filters_by_tag else []),
    ]
    change = _build_statement("Change", [CHANGE], zones) | {"Condition": _build_conditions(scope)}
    tables = [build_table_statement(scope.partition, *scope.table)] if scope.table else []
    return _build_document(find_zones, _build_statement("Read", read_actions, zones), change, *tables)


def build_table_policy(partition: str, region: str, name: str) -> PolicyDocument:
    """Return the IAM policy of a role that only reads and writes the ownership of records in a table of DynamoDB."""
    return _build_document(build_table_statement(partition, region, name))


def build_table_statement(partition: str, region: str, name: str) -> PolicyDocument:
    """Return the statement that allows to read and write the table *name*."""
    table = f"arn:{partition}:dynamodb:{region}:*:table/{name}"
    return _build_statement("Own", [f"dynamodb:{action}" for action in _TABLE_ACTIONS], [table])


def build_cloud_map_policy(*, tags: bool) -> PolicyDocument:
    """Return the IAM policy of the role that reads and writes namespaces of Cloud Map.

    Cloud Map changes Route 53 with the permissions of its caller.
    """
    reads = ("ListNamespaces", "GetNamespace", "ListServices", "ListInstances", "GetOperation")
    actions = {
        "Read": [f"servicediscovery:{name}" for name in reads],
        "Change": list_cloud_map_writes(tags=tags),
        "Records": ["route53:GetHostedZone", "route53:ListHostedZonesByName", CHANGE],
    }
    return _build_document(*(_build_statement(sid, names, ["*"]) for sid, names in actions.items()))


def list_cloud_map_writes(*, tags: bool) -> list[str]:
    """Return the actions that change services of Cloud Map, which get *tags* or not."""
    names = (
        "UpdateService",
        "DeleteService",
        "RegisterInstance",
        "DeregisterInstance",
        *(["TagResource"] if tags else []),
    )
    return [CREATE_SERVICE, *(f"servicediscovery:{name}" for name in names)]


def build_assume_policy(role: str) -> PolicyDocument:
    """Return the IAM policy for the identity of the pod; it allows only assuming *role*."""
    return _build_document(_build_statement("Assume", ["sts:AssumeRole"], [role]))


def build_trust_policy(provider: str, namespace: str, account: str) -> PolicyDocument:
    """Return the trust policy of a role that the pods of a service *account* assume.

    *provider* is `POD_IDENTITY`, or the ARN of the cluster's OIDC provider (IRSA).
    """
    if provider == POD_IDENTITY:
        return _build_document(
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
    conditions = {f"{issuer}:aud": "sts.amazonaws.com", f"{issuer}:sub": f"system:serviceaccount:{namespace}:{account}"}
    return _build_document(
        {
            "Sid": "ServiceAccount",
            "Effect": "Allow",
            "Principal": {"Federated": provider},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": conditions},
        }
    )


def build_name_patterns(suffixes: Iterable[str], ownership_names: Iterable[str]) -> tuple[str, ...]:
    """Return name patterns for the *suffixes* of domain filters, plus the *ownership_names* outside of them."""
    found = dict.fromkeys(text for suffix in suffixes for text in _build_patterns(suffix))
    below = tuple(text[1:] for text in found if text.startswith("*"))
    others = sorted({name for name in ownership_names if name not in found and not name.endswith(below)})
    return (*found, *others)


def list_changed_types(managed_types: Iterable[str], *, with_ownership: bool) -> tuple[str, ...]:
    """Return the types to allow: *managed_types*, A and AAAA if a CNAME can become an alias, and TXT for ownership."""
    types = set(managed_types) | ({rrtype.TXT} if with_ownership else set())
    return tuple(sorted(types | (rrtype.ADDRESSES if rrtype.CNAME in types else frozenset())))


def _build_patterns(suffix: str) -> tuple[str, ...]:
    domain = suffix.removeprefix(".")
    return (f"*.{domain}",) if suffix.startswith(".") else (domain, f"*.{domain}")


def _build_id_pattern(zone_id: str) -> str:
    bare = strip_id_path(zone_id)
    return bare if _COMPLETE_ID.fullmatch(bare) else f"*{bare}"


def list_actions(scope: PolicyScope) -> list[str]:
    """Return the change actions that extdns uses in *scope*."""
    return ["CREATE", "DELETE", *([] if scope.conditional else ["UPSERT"])]


def _build_conditions(scope: PolicyScope) -> PolicyDocument:
    equals = {f"{CHANGE}Actions": list_actions(scope), f"{CHANGE}RecordTypes": list(scope.types)}
    conditions: PolicyDocument = {"ForAllValues:StringEquals": equals}
    if scope.names:
        conditions["ForAllValues:StringLike"] = {f"{CHANGE}NormalizedRecordNames": escape_names(scope.names)}
    if scope.excluded_names:
        conditions["ForAllValues:StringNotLike"] = {
            f"{CHANGE}NormalizedRecordNames": escape_names(scope.excluded_names)
        }
    return conditions


def escape_names(names: Sequence[str]) -> list[str]:
    """Return *names*, which can be patterns, in the spelling that the condition keys of IAM use."""
    return [
        "".join(char if _PLAIN_CHARACTER.fullmatch(char) else f"\\{ord(char):03o}" for char in name) for name in names
    ]


def _build_statement(sid: str, actions: list[str], resources: list[str]) -> PolicyDocument:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}


def _build_document(*statements: PolicyDocument) -> PolicyDocument:
    return {"Version": "2012-10-17", "Statement": list(statements)}
