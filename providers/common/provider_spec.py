"""What a provider is: how its reader and writer are built, and what else depends on the service.

Everything that has to know the providers follows from their specs: the composition root, the check of flags, `extdns
check`, suggestions for `--provider`, and the import contracts of SDKs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from extdns.config import Config
from extdns.flags.flag import FlagSection, Setting
from extdns.flags.kind import ValueKind
from extdns.flags.records import PlanFlags
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.model.zone import Permission, Zone
from extdns.ports import Clock, ZoneReader, ZoneWriter
from providers.common.api_calls import CallOptions

F = TypeVar("F", bound=FlagSection)


class NoFlags(FlagSection, topic=""):
    """The section of a provider without flags."""


class TableReference(NamedTuple):
    """A table of DynamoDB, and its region, "" for that of the environment."""

    name: str
    region: str


class ProviderContext(Value, Generic[F], frozen=True, kw_only=True):
    """What a provider is built with.

    Attributes:
        ownership_names: returns the names of the ownership records of a name and type; None without ownership records.
        table: the table of DynamoDB that has the ownership of records; None if none has.
        offline: whether only `adjust` of the reader is used, which must then need no credentials.
    """

    flags: F
    plan: PlanFlags
    clock: Clock
    ownership_names: Callable[[DnsName, str], Iterable[str]] | None = None
    calls: CallOptions = CallOptions()
    table: TableReference | None = None
    offline: bool = False

    @property
    def zone_ids(self) -> tuple[str, ...]:
        """The values of `--zone-id-filter` that are not empty."""
        return tuple(filter(None, self.plan.zone_id_filter))


class DnsService(NamedTuple):
    """The two ports to a DNS service."""

    reader: ZoneReader
    writer: ZoneWriter


class EnvironmentProblem(NamedTuple):
    """A setting that is probably wrong: what it is, in which way, and what to do."""

    what: str
    detail: str
    remedy: str


_NO_HOSTED_ZONE = (
    "there is no zone: the service accepts the credentials, and lists no zone",
    "create the zone first, or use the credentials of the account that has it",
)


_UNSTATED: Final = "the provider does not state which permissions it needs: see the manual of its package"


def report_unknown(service: str, zones: Iterable[Zone]) -> Iterator[tuple[Zone, Permission]]:
    """Yield for each of *zones* that *service* cannot say whether it may be changed."""
    unknown = Permission(granted=None, detail=f"{service} has no call that checks permissions")
    return ((zone, unknown) for zone in zones)


class ProviderSpec(Value, Generic[F], frozen=True, kw_only=True):
    """A provider of `--provider`.

    Attributes:
        name: the value of `--provider`, also the name of the package, with _ for -.
        flags: the section of its flags; `NoFlags` without any.
        build: build the reader and the writer. Only this may import an SDK.
        check_permissions: yield each zone with whether it may be changed; None if that cannot be found out.
        describe_permissions: return what the credentials must be allowed to do, from the flags and the environment.
        find_warnings: return a warning of two lines for flags, by name, that have no effect.
        properties: the properties of records that it honours, one that ends with a slash for all that begin with it.
        optional_properties: return those that it honours only with certain flags.
        find_allowed: return what a property, by its key, may be if a value has no effect; "" if the value has one.
        conditional_switch: the switch that makes them conditional, "" if none does.
        parent_zone_switch: the switch that also selects the zones above `--domain-filter`, "" if there is none.
        zone_id_kind: the kind of `--zone-id-filter`, None for that of all providers.
        zone_fields: return what log lines say about a zone with `--compat`, None for what they say without.
        check_environment: return which of the environment variables are probably wrong.
        other_names: what people call the service, in lower case, for suggestions.
        remedies: what to do about an error of reading, by a part of its text.
        no_zones: return what to say if the service has no zone, and what to do about it.
        sdk: the packages that only the provider imports, each with the module that does so, * for any.
    """

    name: str
    flags: type[F]
    build: Callable[[ProviderContext[F]], DnsService]
    check_permissions: Callable[[ProviderContext[F], Iterable[Zone]], Iterable[tuple[Zone, Permission]]] | None = None
    describe_permissions: Callable[[ProviderContext[F], Mapping[str, str]], str] = lambda *_: _UNSTATED
    find_warnings: Callable[[Mapping[str, Setting]], tuple[str, ...]] = lambda _: ()
    properties: tuple[str, ...] = ()
    optional_properties: Callable[[F], tuple[str, ...]] = lambda _: ()
    find_allowed: Callable[[str, str], str] = lambda *_: ""
    conditional: bool = True
    conditional_switch: str = ""
    parent_zone_switch: str = ""
    zone_id_kind: ValueKind[str] | None = None
    zone_fields: Callable[[Zone], dict[str, str | None]] | None = None
    check_environment: Callable[[Mapping[str, str]], Iterable[EnvironmentProblem]] = lambda _: ()
    other_names: tuple[str, ...] = ()
    remedies: Mapping[str, str] = MappingProxyType({})
    no_zones: Callable[[F], tuple[str, str]] = lambda _: _NO_HOSTED_ZONE
    sdk: Mapping[str, str] = MappingProxyType({})

    def list_properties(self, config: Config) -> tuple[str, ...]:
        """Return the properties that it honours with the flags of *config*."""
        return (*self.properties, *self.optional_properties(self.find_flags(config)))

    def find_flags(self, config: Config) -> F:
        """Return the section of its flags."""
        return next((section for section in config.providers if isinstance(section, self.flags)), None) or self.flags()
