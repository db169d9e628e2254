"""`extdns iam-policy`: print the least IAM policy for AWS."""

from __future__ import annotations

from typing import Any

from extdns.command import command, option


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
def main(*arguments: Any, **options: Any) -> int:
    """Print the policy of the role that reads and writes the zones, with only the permissions that the flags need.

    They are the zones of --zone-id-filter, the names of --domain-filter and --exclude-domains with their ownership
    records, the managed record types, and the actions CREATE and DELETE, of which conditional writes consist; with
    --no-aws-conditional-writes UPSERT, too. Without filters, all zones and names are allowed.

    AWS_REGION, or else AWS_DEFAULT_REGION, decides the partition. --zone-id-filter takes ids of hosted zones, such as
    Z0123456789ABC; for names use --domain-filter.
    """
    from extdns.commands.iam_policy import main as run

    return run(*arguments, **options)
