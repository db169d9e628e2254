"""Check that the values of the flags fit together (docs/spec/plan.md 8.4), and that this version supports them.

The kind of a flag checks each value by itself (`extdns.flags.kind`). Where external-dns has a message for an error, the
first line is that message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from extdns.errors import sanitize
from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag, Setting, Support
from extdns.flags.kind import ValueKind
from extdns.flags.process import MAX_WRITE_S, POLICIES
from extdns.flags.provider_ways import BY_PROVIDER
from extdns.flags.rules import RuleFlags
from extdns.flags.sources import SERVICE_TYPE
from extdns.flags.specs import PROVIDER_SPECS, REGISTRY_SPECS, SOURCE_SPECS
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.usage_errors import describe_allowed, invalid_value_error, suggest_repetition, usage_error

Settings = Mapping[str, Setting]
"""The flags that are set, by name."""

Values = Mapping[str, Any]
"""The value of every flag, by name. They say which sources, provider and registry are chosen."""


def validate(values: Values) -> None:
    """Check that the values of the flags fit together.

    Rules of external-dns come in the order of docs/spec/plan.md 8.4, among them those of the provider, then our own.
    """
    _check_required(values)
    provider = PROVIDER_SPECS.find(values["provider"])
    if provider is not None:  # one that only external-dns has is refused by `check_support`
        provider.flags.from_values(values).validate()
    _check_combinations(values)
    _check_ours(values, provider)


def _check_required(values: Values) -> None:
    if not values["source"]:
        raise usage_error(
            "no sources specified",
            f"give --source; available in this version: {', '.join(AVAILABLE['source'])}",
            "to begin: extdns --help; for a folder with an example: extdns init my-dns",
        )
    if not values["provider"]:
        raise usage_error(
            "no provider specified", f"give --provider; available in this version: {', '.join(AVAILABLE['provider'])}"
        )
    if not values["policy"]:
        raise usage_error(
            f"--policy must be set explicitly (one of: {', '.join(POLICIES)})", "with --compat it has no default"
        )


def _check_combinations(values: Values) -> None:
    if values["ignore-hostname-annotation"] and not values["fqdn-template"]:
        raise usage_error("FQDN Template must be set if ignoring annotations", "give --fqdn-template")
    if values["txt-prefix"] and values["txt-suffix"]:
        raise usage_error("txt-prefix and txt-suffix are mutual exclusive", "leave out --txt-prefix or --txt-suffix")
    if values["create-ptr"] and "PTR" not in values["managed-record-types"]:
        raise usage_error("--create-ptr requires PTR in --managed-record-types", "add --managed-record-types=PTR")


def _check_secrets(values: Values) -> None:
    for flag in FLAGS:
        if values.get(f"{flag.name}-file") and values[flag.name] != flag.default:
            raise usage_error(f"{flag.spelling} and {flag.spelling}-file are both set", "give one of them")


def _check_ours(values: Values, provider: Any) -> None:  # noqa: ANN401 - a ProviderSpec, from a package above
    _check_secrets(values)
    if values["registry"] in PROVIDER_SPECS.available and values["provider"] != values["registry"]:
        raise usage_error(
            f"--registry={values['registry']} and --provider={values['provider']} do not go together: this registry is"
            f" only for --provider={values['registry']}",
            "give another --registry, such as txt",
        )
    if not values["opa-url"]:
        _check_no_policy_server(values)
    if values["leader-elect"]:
        _check_election(values, provider)
    types = values["service-type-filter"]
    if "service" in values["source"] and "" not in types:  # "" turns the filter off (docs/spec/sources.md 3.1)
        flag = replace(BY_NAME["service-type-filter"], kind=SERVICE_TYPE)
        for invalid in (one for one in types if one not in SERVICE_TYPE.choices):
            raise invalid_value_error(flag, flag.spelling, invalid, "")


def _check_no_policy_server(values: Values) -> None:
    """Check that every other flag of the policy server has its default, because --opa-url is not set."""
    for flag in RuleFlags.rows.values():
        if flag.name.startswith("opa-") and values[flag.name] != flag.default:
            argument = sanitize(" ".join(flag.format_arguments(values[flag.name])))
            raise usage_error(
                f"{argument} has no effect without --opa-url, so no rule of a policy server would deny anything",
                f"give --opa-url=URL, as http://127.0.0.1:8181, or leave out {flag.spelling}",
            )


def _check_election(values: Values, provider: Any) -> None:  # noqa: ANN401 - a ProviderSpec, from a package above
    """Check that leader election is safe: writes are conditional, and end before the Lease expires."""
    if provider is not None and not provider.conditional:
        raise usage_error(
            f"--leader-elect and --provider={values['provider']} do not go together: its writes are not conditional,"
            " and may end after the Lease expired",
            "leave out --leader-elect, and run one replica",
        )
    switch = provider.conditional_switch if provider is not None else ""
    for meant, unsafe in (("--compat", values["compat"]), (f"--no-{switch}", switch and not values[switch])):
        if unsafe:
            raise usage_error(
                f"--leader-elect and {meant} do not go together: only conditional writes keep two processes apart",
                "leave out one of them",
            )
    duration_s, deadline_s, retry_s = (
        values[f"leader-elect-{name}"] for name in ("lease-duration", "renew-deadline", "retry-period")
    )
    if retry_s <= 0.0:
        raise usage_error(
            f"--leader-elect-retry-period={DURATION.format(retry_s)} is too short", "allowed: more than 0s"
        )
    if deadline_s <= retry_s:
        raise usage_error(
            f"--leader-elect-renew-deadline={DURATION.format(deadline_s)} leaves no time to renew",
            f"allowed: more than --leader-elect-retry-period, which is {DURATION.format(retry_s)}",
        )
    if duration_s < deadline_s + MAX_WRITE_S:
        raise usage_error(
            f"--leader-elect-lease-duration={DURATION.format(duration_s)} may expire during a write",
            f"allowed: {DURATION.format(deadline_s + MAX_WRITE_S)} and more, --leader-elect-renew-deadline plus 12s",
        )


_SPECS: Final = {one.flag: one for one in (SOURCE_SPECS, PROVIDER_SPECS, REGISTRY_SPECS)}
AVAILABLE: Final[Mapping[str, tuple[str, ...]]] = {name: one.available for name, one in _SPECS.items()}


def check_support(settings: Settings, values: Values) -> None:
    """Check that this version supports the chosen sources, provider, registry and flags."""
    for name in AVAILABLE:
        _check_available(name, settings, values)
    for setting in settings.values():
        flag = setting.flag
        is_empty_default = not setting.value and setting.value == flag.default
        if flag.support is Support.ABSENT and flag.is_relevant(values) and not is_empty_default:
            raise usage_error(
                f"{setting.origin} is not supported by this version", "supported flags: extdns help flags"
            )


def _check_available(name: str, settings: Settings, values: Values) -> None:
    chosen = values[name] if isinstance(values[name], tuple) else (values[name],)
    origin = settings[name].origin if name in settings else f"--{name}"
    for one in chosen:
        if one and one not in AVAILABLE[name] and _SPECS[name].find_added(one) is None:
            if name == "provider":
                ways = BY_PROVIDER[one].describe(one, map(sanitize, values["domain-filter"]))
                raise usage_error(f"{origin}={one} is not built in. Ways to it:", *ways)
            available = f"available: {', '.join(AVAILABLE[name])}"
            raise usage_error(f"{origin}={one} is not supported by this version", available)


def find_notices(settings: Settings, values: Values) -> tuple[str, ...]:
    """Return a line for each flag that is set and has a notice or belongs to another provider, as the table sorts them.

    Otherwise there is none for a flag whose source, provider or registry is not chosen.
    """
    return tuple(
        f"{setting.origin} {notice}" for setting in settings.values() if (notice := _find_notice(setting, values))
    )


def _find_notice(setting: Setting, values: Values) -> str:
    flag, provider, registry = setting.flag, values["provider"], values["registry"]
    if setting.value != flag.get_default(compat=values["compat"]):
        if flag.providers and provider not in flag.providers:
            return f"has no effect with --provider={provider}: it is a flag of {', '.join(flag.providers)}"
        if flag.registries and registry not in flag.registries:
            return f"has no effect with --registry={registry}: it is a flag of {', '.join(flag.registries)}"
    if flag.name == "registry" and setting.value not in {values["registry"], flag.default}:
        return f"has no effect with --provider={provider}: its registry is {values['registry']}, or noop for none"
    return flag.notice if flag.is_relevant(values) else ""


def min_refresh_interval_s(settings: Settings, values: Values) -> float:
    """Return the minimum time between two refreshes of a zone, in seconds (docs/design/differences.md).

    It is the longest duration that *settings* give to a flag with `bounds_refresh` whose source, provider and
    registry are chosen; 0 if there is none.
    """
    times = (
        float(setting.value)
        for setting in settings.values()
        if setting.flag.bounds_refresh and setting.flag.is_relevant(values)
    )
    return max((0.0, *times))


def find_warnings(settings: Settings, values: Values) -> tuple[str, ...]:
    """Return a warning of two lines for each value that cannot have an effect; with `--compat` none.

    Warnings of the provider come first, the others follow in the order of the table of flags.
    Flags whose source, provider or registry is not chosen are left out.
    """
    if values["compat"]:
        return ()
    provider = PROVIDER_SPECS.load(values["provider"])
    kinds = {"zone-id-filter": provider.zone_id_kind} if provider.zone_id_kind else {}
    return (
        *provider.find_warnings(settings),
        *(
            _describe_ineffective(setting.flag, setting.origin, value, kind)
            for setting in settings.values()
            if setting.flag.is_relevant(values)
            for kind in (kinds.get(setting.flag.name, setting.flag.kind),)
            for value in (setting.value if setting.flag.repeatable else (setting.value,))
            if not kind.is_effective(value)
        ),
    )


def _describe_ineffective(flag: Flag, origin: str, value: object, kind: ValueKind[Any]) -> str:
    written = kind.format(value)
    consequence = kind.consequence if written.strip(" .") else kind.blank or kind.consequence
    remedy = suggest_repetition(flag, kind, written) or describe_allowed(kind, written)
    return f"{origin}={sanitize(written)} is not {kind.noun}: {consequence}\n  {remedy}"
