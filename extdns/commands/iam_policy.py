"""`extdns iam-policy`: print the least IAM policy for AWS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extdns.command import command, option
from extdns.commands.output import show
from extdns.errors import UsageError, sanitize
from extdns.flags import parser
from extdns.flags.records import PlanFlags, RegistryFlags
from extdns.flags.usage_errors import usage_error
from extdns.flags.validation import find_warnings
from providers.aws.flags import AwsFlags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from providers.aws import iam_policy

_ARN: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:oidc-provider/[\w./-]+", re.ASCII)
_AWS: Final = "aws"
_ACCOUNT: Final = re.compile(r"([a-z0-9-]{1,63})/([a-z0-9.-]{1,253})")


@command(
    examples=(
        "extdns iam-policy --zone-id-filter=Z0123456789ABC",
        "extdns iam-policy --trust=pod-identity --service-account=external-dns/extdns",
    )
)
@option(
    "--trust",
    metavar="ARN|pod-identity",
    help="prints the trust policy of the role, for the OIDC provider of the cluster with this ARN (IRSA), or for EKS "
    "Pod Identity",
)
@option("--service-account", metavar="NAMESPACE/NAME", help="the service account that may use the role")
@option(
    "--assume",
    is_flag=True,
    help="prints the policy of the pod's own identity, which may only assume --aws-assume-role",
)
def main(
    flags: Sequence[str], environ: Mapping[str, str], *, trust: str | None, service_account: str | None, assume: bool
) -> int:
    """Print the policy of the role that reads and writes the zones, with only the permissions that the flags need.

    They are the zones of --zone-id-filter, the names of --domain-filter and --exclude-domains with their ownership
    records, the managed record types, and the actions CREATE and DELETE, of which conditional writes consist; with
    --no-aws-conditional-writes UPSERT, too. Without filters, all zones and names are allowed.

    AWS_REGION, or else AWS_DEFAULT_REGION, decides the partition. --zone-id-filter takes ids of hosted zones, such as
    Z0123456789ABC; for names use --domain-filter.
    """
    from extdns.app.registry import find_ownership_names
    from providers.aws import iam_policy
    from providers.aws.policy_scope import build_policy_scope

    if trust is not None or service_account is not None:
        _print(_build_trust_policy(trust, service_account))
        return 0
    values = _read_values(flags, environ)
    plan, registry, aws = PlanFlags.from_values(values), RegistryFlags.from_values(values), AwsFlags.from_values(values)
    if assume:
        if not aws.aws_assume_role:
            raise usage_error(
                "--assume needs --aws-assume-role",
                "without --aws-assume-role the pod's own identity needs the policy: leave --assume out",
            )
        _print(iam_policy.build_assume_policy(aws.aws_assume_role))
        return 0
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or ""
    scope = build_policy_scope(plan, aws, find_ownership_names(registry), region)
    _print(iam_policy.build_policy(scope))
    return 0


def _read_values(flags: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the value of every flag. Values without effect, and any other provider than `aws`, are errors."""
    settings = parser.parse_settings(flags, environ)
    values = parser.apply_defaults(settings)
    if (provider := values["provider"]) not in {"", _AWS}:
        raise usage_error(
            f"--provider={provider} needs no IAM policy",
            "allowed: aws, or leave --provider out",
            *(("for Cloud DNS grant roles/dns.admin on the project or on the zones",) if provider == "google" else ()),
        )
    for warning in find_warnings(settings, values | {"provider": _AWS, "compat": False}):
        raise UsageError(warning)
    return values


def _print(document: iam_policy.PolicyDocument) -> None:
    import json

    show(json.dumps(document, indent=2) + "\n")


def _build_trust_policy(trust: str | None, account: str | None) -> iam_policy.PolicyDocument:
    from providers.aws import iam_policy

    if trust is None or not (trust == iam_policy.POD_IDENTITY or _ARN.fullmatch(trust)):
        raise usage_error(
            f"--trust={sanitize(trust or '')} is not an OIDC provider",
            "allowed: pod-identity, or an ARN such as",
            "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/0123ABCD",
        )
    found = _ACCOUNT.fullmatch(account or "")
    if not found:
        raise usage_error(
            f"--service-account={sanitize(account or '')} is not a service account",
            "allowed: NAMESPACE/NAME, such as external-dns/extdns",
        )
    return iam_policy.build_trust_policy(trust, found[1], found[2])
