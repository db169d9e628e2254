"""`extdns iam-policy`: print what `permissions` does for AWS, or a trust policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from extdns.command import command, option
from extdns.commands.output import show
from extdns.commands.permissions import read_provider
from extdns.errors import sanitize
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from providers.aws import iam_policy

_ARN: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:oidc-provider/[\w./-]+", re.ASCII)
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
    from providers.aws import iam_policy

    if trust is not None or service_account is not None:
        show(f"{iam_policy.render(_build_trust_policy(trust, service_account))}\n")
        return 0
    provider, context = read_provider(flags, environ, "aws")
    if assume:
        role = context.flags.aws_assume_role
        if not role:
            raise usage_error(
                "--assume needs --aws-assume-role",
                "without --aws-assume-role the pod's own identity needs the policy: leave --assume out",
            )
        show(f"{iam_policy.render(iam_policy.build_assume_policy(role))}\n")
        return 0
    show(f"{provider.describe_permissions(context, environ)}\n")
    return 0


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
