"""`extdns iam-policy`: what AWS must allow, and no more."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from extdns.app.policies import scope
from extdns.commands.options import switch_of, value_of
from extdns.commands.output import show
from extdns.config import Aws, Plan, Registry
from extdns.errors import shown
from extdns.flags import parser
from extdns.flags.mistakes import mistake
from providers.aws import rights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HELP: Final = """\
Usage: extdns iam-policy [flags]
       extdns iam-policy --trust=ARN|pod-identity --service-account=NAMESPACE/NAME
       extdns iam-policy --assume [flags]

Prints the policy of the role that reads and writes the zones, with no more rights than the flags need: the zones of
--zone-id-filter, the names of --domain-filter and --exclude-domains with their ownership records, the managed types of
record, and CREATE and DELETE, which conditional changes consist of. Without filters, all zones or names are allowed.

--trust prints the role's trust policy: for the OIDC provider of the cluster (IRSA) with that ARN, or for EKS Pod
Identity. --assume prints the policy of the pod's own identity, which only assumes --aws-assume-role.

Flags and variables are those of extdns itself; AWS_REGION decides between partitions.
"""
_ARN: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:oidc-provider/[\w./-]+", re.ASCII)
_ACCOUNT: Final = re.compile(r"([a-z0-9-]{1,63})/([a-z0-9.-]{1,253})")


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Print the policy that is asked for; returns the exit code.

    Raises:
        UsageError: a flag is wrong.
    """
    trust, flags = value_of(arguments, "--trust", allowed="the ARN of an OIDC provider, or pod-identity")
    account, flags = value_of(flags, "--service-account", allowed="NAMESPACE/NAME")
    assume, flags = switch_of(flags, "--assume")
    if trust is not None or account is not None:
        _print(_trust(trust, account))
        return 0
    values = parser.with_defaults(parser.read(flags, environ))
    plan, registry, aws = Plan.of(values), Registry.of(values), Aws.of(values)
    if assume:
        if not aws.aws_assume_role:
            raise mistake(
                "--assume needs --aws-assume-role", "without it the pod's own identity needs the policy itself"
            )
        _print(rights.assuming(aws.aws_assume_role))
        return 0
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or ""
    _print(rights.policy(scope(plan, registry, aws, region)))
    return 0


def _print(document: rights.Document) -> None:
    show(json.dumps(document, indent=2) + "\n")


def _trust(trust: str | None, account: str | None) -> rights.Document:
    if trust is None or not (trust == rights.POD_IDENTITY or _ARN.fullmatch(trust)):
        raise mistake(
            f"--trust={shown(trust or '')} is no OIDC provider",
            "allowed: pod-identity, or an ARN such as",
            "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/0123ABCD",
        )
    found = _ACCOUNT.fullmatch(account or "")
    if not found:
        raise mistake(f"--service-account={shown(account or '')} is no service account", "allowed: NAMESPACE/NAME")
    return rights.trust(trust, found[1], found[2])
