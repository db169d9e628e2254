"""`extdns permissions`: print the token, role or policy that the provider needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extdns.command import command
from extdns.commands.output import show
from extdns.errors import UsageError
from extdns.flags import parser
from extdns.flags.records import PlanFlags, RegistryFlags
from extdns.flags.specs import PROVIDER_SPECS
from extdns.flags.usage_errors import usage_error
from extdns.flags.validation import AVAILABLE, check_support, find_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from providers.common.provider_spec import ProviderContext, ProviderSpec


@command(
    examples=(
        "extdns permissions --provider=cloudflare",
        "extdns permissions --provider=aws --zone-id-filter=Z0123456789ABC",
    )
)
def main(flags: Sequence[str], environ: Mapping[str, str]) -> int:
    """Print what the credentials of --provider must be allowed to do for the flags of a run, and no more.

    For aws it is the policy of extdns iam-policy. extdns check tests whether the credentials have these permissions.
    """
    provider, context = read_provider(flags, environ)
    show(f"{provider.describe_permissions(context, environ)}\n")
    if context.table and provider.name != "aws":
        from providers.aws import iam_policy

        region = context.table.region or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "*"
        policy = iam_policy.build_table_policy(iam_policy.find_partition(region), region, context.table.name)
        show(f"\nThe policy for --registry=dynamodb:\n{iam_policy.render(policy)}\n")
    return 0


def read_provider(
    flags: Sequence[str], environ: Mapping[str, str], only: str = ""
) -> tuple[ProviderSpec[Any], ProviderContext[Any]]:
    """Return the provider of *flags*, and what it would be built with; --source and others may be missing.

    With *only*, the name of a provider, it is that one.
    """
    from extdns.app.registry import find_ownership_names
    from extdns.controller.clock import SystemClock
    from providers.common.provider_spec import ProviderContext, TableReference

    settings = parser.parse_settings(flags, environ)
    values = parser.apply_defaults(settings)
    values |= {"provider": values["provider"] or only, "compat": False}
    name = values["provider"]
    if not name:
        raise usage_error("no provider specified", f"give --provider; available: {', '.join(AVAILABLE['provider'])}")
    check_support(settings, values)
    if only and name != only:
        raise usage_error(
            f"--provider={name} is not {only}",
            f"allowed: {only}, or leave --provider out",
            f"what it needs: extdns permissions --provider={name}",
        )
    for warning in find_warnings(settings, values):
        raise UsageError(warning)
    provider, registry = PROVIDER_SPECS.load(name), RegistryFlags.from_values(values)
    table = TableReference(registry.dynamodb_table, registry.dynamodb_region) if registry.name == "dynamodb" else None
    return provider, ProviderContext(
        flags=provider.flags.from_values(values),
        plan=PlanFlags.from_values(values),
        clock=SystemClock(),
        ownership_names=find_ownership_names(registry),
        table=table,
    )
