"""The configuration: the values of all flags, in typed and frozen sections.

A field has the name of its flag with `_` for `-`, or states the flag that it comes from. Durations are in seconds and
end in `_s`. A test checks that each flag has exactly one field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Self

from msgspec import field
from msgspec.structs import astuple, fields

from extdns.flags import parser, validation
from extdns.flags.address import ListenAddress
from extdns.flags.flag import Flag
from extdns.flags.process import DEFAULT_TIMEOUT_S
from extdns.flags.regex import Regex
from extdns.flags.table import BY_NAME
from extdns.model.selection import DomainFilter, Selector, parse_suffixes
from extdns.model.value import Value


class FlagSection(Value, frozen=True, kw_only=True, rename=lambda name: name.removesuffix("_s").replace("_", "-")):
    """A section of the flags. Its repr masks secrets."""

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """Return the flag of each field, in the order of the fields."""
        return dict(zip(cls.__struct_fields__, map(BY_NAME.__getitem__, cls.__struct_encode_fields__), strict=True))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Build the section from the *values* of all flags, by name."""
        return cls(**{name: values[flag.name] for name, flag in cls.flags().items()})

    def list_settings(self) -> Iterator[tuple[Flag, object]]:
        """Return each flag with its value."""
        return ((flag, getattr(self, name)) for name, flag in self.flags().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(_format_arguments(self.list_settings()))})"


class ControlFlags(FlagSection, frozen=True, kw_only=True):
    """What runs, and when. *policy* and *provider* have the values of their flags."""

    provider: str
    policy: str
    interval_s: float
    once: bool
    dry_run: bool
    compat: bool
    refresh_calls_per_minute: int
    max_refresh_interval_s: float
    api_calls_per_second: int
    api_burst: int


class ClusterFlags(FlagSection, frozen=True, kw_only=True):
    """Where objects are read from: *manifests*, of which "-" is standard input, or else an API server.

    Attributes:
        namespace: "" for all namespaces.
        kube_api_request_timeout_s: use `time_limit_s` instead, which combines both timeouts.
        request_timeout_s: the deprecated flag for the same timeout; use `time_limit_s` instead.
    """

    manifests: tuple[str, ...]
    namespace: str
    server: str
    kubeconfig: str
    cluster_id: str
    kube_api_request_timeout_s: float
    request_timeout_s: float

    @property
    def time_limit_s(self) -> float:
        """The timeout of a request, 0 for none (docs/spec/sources.md 9.2). `--request-timeout` wins if changed."""
        changed = self.request_timeout_s != DEFAULT_TIMEOUT_S
        return max(self.request_timeout_s if changed else self.kube_api_request_timeout_s, 0.0)


class SourceFlags(FlagSection, frozen=True, kw_only=True):
    """Which objects are read, and how. *annotation_prefix* None means both prefixes (docs/design/differences.md)."""

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


class PlanFlags(FlagSection, frozen=True, kw_only=True):
    """Which names and types are managed. With a regex, the two lists of domains have no effect."""

    domain_filter: tuple[str, ...]
    exclude_domains: tuple[str, ...]
    regex_domain_filter: Regex | None
    regex_domain_exclusion: Regex | None
    managed_record_types: tuple[str, ...]
    exclude_record_types: tuple[str, ...]
    zone_id_filter: tuple[str, ...]

    def build_domain_filter(self) -> DomainFilter:
        """Return the filter of the four domain flags."""
        return DomainFilter(
            include=parse_suffixes(self.domain_filter),
            exclude=parse_suffixes(self.exclude_domains),
            include_pattern=self.regex_domain_filter.pattern if self.regex_domain_filter else None,
            exclude_pattern=self.regex_domain_exclusion.pattern if self.regex_domain_exclusion else None,
        )

    def find_managed_types(self) -> frozenset[str]:
        """Return the record types that are managed."""
        return frozenset(self.managed_record_types) - frozenset(self.exclude_record_types)


class DeleteFlags(FlagSection, frozen=True, kw_only=True):
    """When a delete may be made. *unresolved_timeout_s* is None if unresolved claims keep records for ever."""

    delete_grace_period_s: float
    unresolved_timeout_s: float | None
    max_delete_percent: int
    max_delete_count: int
    approve: tuple[str, ...]
    accept_cluster: tuple[str, ...]
    state_configmap: str
    state_file: str


class RegistryFlags(FlagSection, frozen=True, kw_only=True):
    """How ownership records are written. An empty text means that the feature is off."""

    name: str = field(name="registry")
    txt_owner_id: str
    txt_prefix: str
    txt_suffix: str
    txt_wildcard_replacement: str
    migrate_from_txt_owner: str
    txt_encrypt_enabled: bool
    txt_encrypt_aes_key: str
    txt_encrypt_aes_key_file: str


class LogFlags(FlagSection, frozen=True, kw_only=True):
    """What is logged, and which Events are recorded besides those about problems.

    Attributes:
        level: one of external-dns's seven levels.
        audit_log: a path or "stdout"; "" for no audit log.
        audit_log_max_size: the size in MiB at which its file is renamed.
    """

    format: str = field(name="log-format")
    level: str = field(name="log-level")
    audit_log: str
    audit_log_max_size: int
    audit_log_max_files: int
    events_emit: tuple[str, ...]


class WebFlags(FlagSection, frozen=True, kw_only=True):
    """The addresses of health and metrics, and of the live page."""

    metrics_address: ListenAddress
    web_address: ListenAddress


class RuleFlags(FlagSection, frozen=True, kw_only=True):
    """Where rules are read from (paths, or `cluster`), the policy server, and where answers of rules are logged."""

    policy_rules: tuple[str, ...]
    opa_url: str
    opa_path: str
    opa_failure: str
    opa_timeout_s: float
    opa_tls_ca: str
    opa_tls_client_cert: str
    opa_tls_client_cert_key: str
    opa_token_file: str


class AwsFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `aws`. An *aws_api_retries* of 0 means ten attempts."""

    aws_zone_type: str
    aws_zone_tags: tuple[str, ...]
    aws_zone_match_parent: bool
    aws_profile: tuple[str, ...]
    aws_assume_role: str
    aws_assume_role_external_id: str
    aws_assume_role_external_id_file: str
    aws_batch_change_size: int
    aws_batch_change_size_bytes: int
    aws_batch_change_size_values: int
    aws_batch_change_interval_s: float
    aws_evaluate_target_health: bool
    aws_api_retries: int
    aws_prefer_cname: bool
    aws_conditional_writes: bool


class GoogleFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `google`. A *google_batch_change_size* of 0 means the limit of the project."""

    google_project: str
    google_batch_change_size: int
    google_batch_change_interval_s: float
    google_zone_visibility: str
    google_api_endpoint: str


class Rfc2136Flags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `rfc2136`, with the TLS flags. A *rfc2136_port* of 0 is the usual port."""

    rfc2136_host: tuple[str, ...]
    rfc2136_port: int
    rfc2136_zone: tuple[str, ...]
    rfc2136_insecure: bool
    rfc2136_tsig_keyname: str
    rfc2136_tsig_secret: str
    rfc2136_tsig_secret_file: str
    rfc2136_tsig_secret_alg: str
    rfc2136_axfr: bool
    rfc2136_tsig_axfr: bool
    rfc2136_min_ttl_s: float
    rfc2136_gss_tsig: bool
    rfc2136_kerberos_username: str
    rfc2136_kerberos_password: str
    rfc2136_kerberos_password_file: str
    rfc2136_kerberos_realm: str
    rfc2136_batch_change_size: int
    rfc2136_use_tls: bool
    rfc2136_skip_tls_verify: bool
    rfc2136_load_balancing_strategy: str
    tls_ca: str
    tls_client_cert: str
    tls_client_cert_key: str


class WebhookFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `webhook`."""

    webhook_provider_url: str
    webhook_provider_url_file: str
    webhook_provider_read_timeout_s: float
    webhook_provider_write_timeout_s: float
    webhook_provider_max_body_size: int


class InmemoryFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `inmemory`."""

    inmemory_zone: tuple[str, ...]


class ZonefileFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `zonefile`. The folder is "" with any other provider."""

    zonefile_dir: str


class OctodnsFlags(FlagSection, frozen=True, kw_only=True):
    """The flags of the provider `octodns`. The file is "" with any other provider."""

    octodns_config: str


class ElectionFlags(FlagSection, frozen=True, kw_only=True):
    """Whether there is a leader election, and with which Lease."""

    leader_elect: bool
    leader_elect_lease_duration_s: float
    leader_elect_renew_deadline_s: float
    leader_elect_retry_period_s: float
    leader_elect_resource_name: str
    leader_elect_resource_namespace: str


class Config(Value, frozen=True, kw_only=True):
    """The whole configuration.

    Attributes:
        min_refresh_interval_s: the shortest time between two refreshes of a zone, from the cache flags; 0 for none.
        notices: a line for each set flag that extdns ignores, or that should be renamed or removed; logged once.
        warnings: messages of two lines about unknown variables and, without `--compat`, about values without effect.
    """

    control: ControlFlags
    cluster: ClusterFlags
    sources: SourceFlags
    plan: PlanFlags
    deletes: DeleteFlags
    election: ElectionFlags
    registry: RegistryFlags
    log: LogFlags
    web: WebFlags
    rules: RuleFlags
    aws: AwsFlags
    google: GoogleFlags
    rfc2136: Rfc2136Flags
    inmemory: InmemoryFlags
    zonefile: ZonefileFlags
    octodns: OctodnsFlags
    webhook: WebhookFlags
    min_refresh_interval_s: float = 0.0
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


_SECTIONS: Final = {one.name: one.type for one in fields(Config) if one.required}


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Read arguments and environment, after `extdns.flags.parser.find_requested_text` (`--help`, `--version`).

    Raises:
        UsageError: the first error, as a message for the user.
    """
    settings = parser.parse_settings(argv, environ)
    values = parser.apply_defaults(settings)
    validation.validate(values)
    validation.check_support(settings, values)
    sections: dict[str, Any] = {name: section.from_values(values) for name, section in _SECTIONS.items()}
    return Config(
        **sections,
        min_refresh_interval_s=validation.min_refresh_interval_s(settings, values),
        notices=validation.find_notices(settings, values),
        warnings=(*parser.find_unknown_variables(environ), *validation.find_warnings(settings, values)),
    )


def parse_state_flags(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[ClusterFlags, DeleteFlags]:
    """Read only the sections that name the state store. Required flags such as `--source` may be missing.

    Raises:
        UsageError: the first error, as a message for the user.
    """
    values = parser.apply_defaults(parser.parse_settings(argv, environ))
    return ClusterFlags.from_values(values), DeleteFlags.from_values(values)


def format_arguments(config: Config) -> tuple[str, ...]:
    """Return the arguments that give *config*, in the order of the fields, with masked secrets."""
    return tuple(_format_arguments(list_settings(config)))


def list_settings(config: Config) -> Iterator[tuple[Flag, object]]:
    """Return every flag with its value, in the order of the fields."""
    for section in astuple(config):
        if isinstance(section, FlagSection):
            yield from section.list_settings()


def _format_arguments(settings: Iterable[tuple[Flag, object]]) -> Iterator[str]:
    return (argument for flag, value in settings for argument in flag.format_arguments(value, masked=True))
