"""The configuration: what the flags say, grouped, frozen and typed.

A field bears the name of its flag with `_` for `-`; one that bears another name, says which flag
it comes from; a duration ends in `_s` and is in seconds. A test holds that each implemented flag
ends in exactly one field, and that nothing else is here but `least_audit_interval_s` and `notices`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from msgspec import field
from msgspec.structs import astuple, fields

from extdns.flags import parser, support
from extdns.flags.address import ListenAddress
from extdns.flags.cluster import DEFAULT_TIMEOUT_S
from extdns.flags.flag import Flag
from extdns.flags.regex import Regex
from extdns.flags.table import BY_NAME
from extdns.flags.validation import validate
from extdns.model.selector import Selector
from extdns.model.value import Value


class Section(Value, frozen=True, kw_only=True, rename=lambda name: name.removesuffix("_s").replace("_", "-")):
    """Some of the flags; a secret shows as `******`."""

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """The flag that each field comes from, in the order of fields."""
        return dict(zip(cls.__struct_fields__, map(BY_NAME.__getitem__, cls.__struct_encode_fields__), strict=True))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """What the *values* of all flags, by name, say."""
        return cls(**{name: values[flag.name] for name, flag in cls.flags().items()})

    def settings(self) -> Iterator[tuple[Flag, object]]:
        """Every flag with its value."""
        return ((flag, getattr(self, name)) for name, flag in self.flags().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(_arguments(self.settings()))})"


class Control(Section, frozen=True, kw_only=True):
    """What runs, and when. *policy* and *provider* are as written in the flag."""

    provider: str
    policy: str
    interval_s: float
    once: bool
    dry_run: bool
    compat: bool
    audit_calls_per_minute: int
    api_calls_per_second: int
    api_burst: int


class Cluster(Section, frozen=True, kw_only=True):
    """Where objects are read from: without *manifests*, which may be "-" for standard input, an API server.

    *namespace* "" is all of them. Of the two limits, ask `time_limit_s`.
    """

    manifests: tuple[str, ...]
    namespace: str
    server: str
    kubeconfig: str
    kube_api_request_timeout_s: float
    request_timeout_s: float

    @property
    def time_limit_s(self) -> float:
        """The longest that a request may take, 0 without limit; the old flag counts if changed (spec sources 9.2)."""
        changed = self.request_timeout_s != DEFAULT_TIMEOUT_S
        return max(self.request_timeout_s if changed else self.kube_api_request_timeout_s, 0.0)


class Sources(Section, frozen=True, kw_only=True):
    """Which objects are read, and how. *annotation_prefix* None means both prefixes (design 5)."""

    names: tuple[str, ...] = field(name="source")
    annotation_filter: Selector
    annotation_prefix: str | None
    label_filter: Selector
    target_net_filter: tuple[str, ...]
    exclude_target_net: tuple[str, ...]
    default_targets: tuple[str, ...]
    force_default_targets: bool
    nat64_networks: tuple[str, ...]
    create_ptr: bool
    min_ttl_s: float
    prefer_alias: bool
    merge_across_namespaces: bool
    compatibility: str
    ignore_hostname_annotation: bool
    fqdn_template: tuple[str, ...]
    fqdn_target_template: tuple[str, ...]
    target_template: tuple[str, ...]
    combine_fqdn_annotation: bool
    service_type_filter: tuple[str, ...]
    publish_internal_services: bool
    publish_host_ip: bool
    always_publish_not_ready_addresses: bool
    exclude_unschedulable: bool
    expose_internal_ipv6: bool
    resolve_service_load_balancer_hostname: bool
    gateway_name: str
    gateway_namespace: str
    gateway_label_filter: str
    gateway_listener_sets: bool
    gloo_namespace: tuple[str, ...]
    ignore_non_host_network_pods: bool
    pod_source_domain: str
    openshift_router_name: str
    ingress_class: tuple[str, ...]
    ignore_ingress_rules_spec: bool
    ignore_ingress_tls_spec: bool
    skipper_routegroup_groupversion: str
    traefik_enable_legacy: bool
    traefik_disable_new: bool
    unstructured_resource: tuple[str, ...]


class Plan(Section, frozen=True, kw_only=True):
    """Which names and types are managed. If a regex is given, the two lists count for nothing."""

    domain_filter: tuple[str, ...]
    exclude_domains: tuple[str, ...]
    regex_domain_filter: Regex | None
    regex_domain_exclusion: Regex | None
    managed_record_types: tuple[str, ...]
    exclude_record_types: tuple[str, ...]
    zone_id_filter: tuple[str, ...]


class Deletes(Section, frozen=True, kw_only=True):
    """When a delete may be made. *stale_hold_s* None is without limit."""

    delete_grace_period_s: float
    stale_hold_s: float | None
    max_delete_percent: int
    max_delete_count: int
    release: tuple[str, ...]
    state_configmap: str
    state_file: str


class Registry(Section, frozen=True, kw_only=True):
    """How ownership is marked. Empty texts are off."""

    name: str = field(name="registry")
    txt_owner_id: str
    txt_prefix: str
    txt_suffix: str
    txt_wildcard_replacement: str
    migrate_from_txt_owner: str
    txt_encrypt_enabled: bool
    txt_encrypt_aes_key: str


class Log(Section, frozen=True, kw_only=True):
    """How is logged: *format* `text` or `json`, *level* one of the reference's seven; and Events beside problems."""

    format: str = field(name="log-format")
    level: str = field(name="log-level")
    events_emit: tuple[str, ...]


class Web(Section, frozen=True, kw_only=True):
    """Where health and metrics are served."""

    metrics_address: ListenAddress
    web_address: ListenAddress


class Aws(Section, frozen=True, kw_only=True):
    """The provider `aws`. An *aws_api_retries* of 0 sets no limit."""

    aws_zone_type: str
    aws_zone_tags: tuple[str, ...]
    aws_zone_match_parent: bool
    aws_profile: tuple[str, ...]
    aws_assume_role: str
    aws_assume_role_external_id: str
    aws_batch_change_size: int
    aws_batch_change_size_bytes: int
    aws_batch_change_size_values: int
    aws_batch_change_interval_s: float
    aws_evaluate_target_health: bool
    aws_api_retries: int
    aws_prefer_cname: bool
    aws_conditional_writes: bool


class Google(Section, frozen=True, kw_only=True):
    """The provider `google`. A *google_batch_change_size* of 0 sets no limit."""

    google_project: str
    google_batch_change_size: int
    google_batch_change_interval_s: float
    google_zone_visibility: str
    google_api_endpoint: str


class Inmemory(Section, frozen=True, kw_only=True):
    """The provider `inmemory`."""

    inmemory_zone: tuple[str, ...]


class Zonefile(Section, frozen=True, kw_only=True):
    """The provider `zonefile`; its folder is "" only while another provider is chosen."""

    zonefile_dir: str


class Election(Section, frozen=True, kw_only=True):
    """Whether processes stand for election, and by which Lease."""

    leader_elect: bool
    leader_elect_lease_duration_s: float
    leader_elect_renew_deadline_s: float
    leader_elect_retry_period_s: float
    leader_elect_resource_name: str
    leader_elect_resource_namespace: str


class Config(Value, frozen=True, kw_only=True):
    """Everything a start is told.

    Attributes:
        least_audit_interval_s: least time between two audits of a zone, from cache times; 0 is none.
        notices: a line for each flag that was given and means nothing here, to be logged once.
    """

    control: Control
    cluster: Cluster
    sources: Sources
    plan: Plan
    deletes: Deletes
    election: Election
    registry: Registry
    log: Log
    web: Web
    aws: Aws
    google: Google
    inmemory: Inmemory
    zonefile: Zonefile
    least_audit_interval_s: float = 0.0
    notices: tuple[str, ...] = ()


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Read the command line, without the program's name, and the environment.

    `--help` and `--version` are for `extdns.flags.parser.asked_for`, which comes first.

    Raises:
        UsageError: the first mistake; its text is for the user and lacks only `error: ` before it.
    """
    given = parser.read(argv, environ)
    values = parser.with_defaults(given)
    validate(values)
    support.require(given, values)
    sections: dict[str, Any] = {one.name: one.type.of(values) for one in fields(Config) if one.required}
    return Config(
        **sections,
        least_audit_interval_s=support.least_audit_interval_s(given, values),
        notices=support.notices(given, values),
    )


def place_of_state(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[Cluster, Deletes]:
    """As `parse`, but only what tells where state is kept; nothing need be said of sources and the like.

    Raises:
        UsageError: the first mistake, as with `parse`.
    """
    values = parser.with_defaults(parser.read(argv, environ))
    return Cluster.of(values), Deletes.of(values)


def shown(config: Config) -> tuple[str, ...]:
    """The configuration as the arguments that give it again, in the order of fields; secrets are `******`."""
    return tuple(_arguments(settings(config)))


def settings(config: Config) -> Iterator[tuple[Flag, object]]:
    """Every implemented flag with its value, in the order of fields."""
    for section in astuple(config):
        if isinstance(section, Section):
            yield from section.settings()


def _arguments(given: Iterable[tuple[Flag, object]]) -> Iterator[str]:
    return (argument for flag, value in given for argument in flag.arguments(value, masked=True))
