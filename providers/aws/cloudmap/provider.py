"""Read and write namespaces of Cloud Map: the `ZoneReader` and `ZoneWriter` ports."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import (
    AdjustedRecords,
    Applied,
    Batch,
    ChangeSet,
    Forbidden,
    Outcome,
    Refused,
    TryLater,
    Unknown,
    Write,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.value import group_by
from extdns.model.zone import AccountFailure, Zone, ZoneList, ZonePage
from providers.aws.cloudmap.client import (
    ALREADY_EXISTS,
    INSTANCE_GONE,
    NAMESPACE_GONE,
    SERVICE_GONE,
    CloudMapApi,
    CloudMapNamespace,
    StartedOperation,
)
from providers.aws.cloudmap.services import (
    TYPES,
    Attributes,
    CloudMapService,
    Contents,
    Instance,
    adjust_record,
    build_instance_id,
    build_records,
    build_service_name,
    find_problem,
    list_targets,
    plan_layout,
    read_contents,
    sort_instances,
)
from providers.aws.settings import Route53ZoneFilter
from providers.common.api_calls import (
    CallFailedError,
    Failure,
    FailureKind,
    convert_to_outcome,
    parse_service_name,
)
from providers.common.plain_batches import join_failures
from providers.common.refusals import find_cname_problem
from providers.common.zone_lists import FoundZones

_convert_to_outcome: Final = partial(
    convert_to_outcome, conflicts={ALREADY_EXISTS, SERVICE_GONE}, gone={NAMESPACE_GONE}
)
_PRIVATE: Final = {"DNS_PUBLIC": False, "DNS_PRIVATE": True}
_MAX_WRITES: Final = 100
_MAX_CALLS: Final = 400
"""The most calls of a batch of several names: 40 s at 10 calls a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudMapSettings:
    """Settings of the provider.

    Attributes:
        shows_descriptions: whether the descriptions of services are ownership records.
        removes_empty: whether a service is deleted with its last instance.
        page_names: the names on a page; reading one takes about as many calls.
    """

    zone_filter: Route53ZoneFilter = field(default_factory=Route53ZoneFilter)
    shows_descriptions: bool = True
    removes_empty: bool = False
    tags: tuple[tuple[str, str], ...] = ()
    page_names: int = 20


class CloudMapReader:
    """Reads namespaces; safe from any thread."""

    def __init__(self, settings: CloudMapSettings, api: CloudMapApi) -> None:
        self._settings = settings
        self._api = api
        self.read_rate_limits = api.rate_limiter.read_rate_limits
        self.capabilities = Capabilities(
            atomic=False,
            conditional=False,
            max_batch_writes=_MAX_WRITES,
            max_batch_size=_MAX_CALLS,
            size_unit="API calls",
            measure=count_calls,
            reads_full_zones=True,
            longest_match_only=True,
        )

    def list_zones(self) -> ZoneList:
        """Return the namespaces with DNS that match the filters."""
        try:
            found = FoundZones(self._api.list_namespaces(), 1)
        except CallFailedError as exc:
            if exc.kind is not FailureKind.FORBIDDEN:
                raise
            return ZoneList(zones=(), failed=(AccountFailure(account="", message=str(exc), permanent=True),))
        return found.build_list(self._build_zone)

    def _build_zone(self, found: CloudMapNamespace) -> tuple[Zone, bool] | None:
        if found.type not in _PRIVATE or (name := parse_service_name(found.name)) is None:
            return None
        private = _PRIVATE[found.type]
        is_selected = self._settings.zone_filter.matches(found.id, name, private=private)
        return Zone(name=name, id=found.id, private=private), is_selected

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* in the form in which *zone* will hold it, or why Cloud Map would refuse it."""
        return AdjustedRecords.from_results(adjust_record(record, zone) for record in desired)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the records of the next services."""
        found, cursor = next(self._api.list_services(zone.id, f"namespace {zone}", after, self._settings.page_names))
        services = _index_services(zone, found)
        return ZonePage(records=self._read_records(zone, services, services), after=cursor)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*."""
        if not names:
            return ()
        pages = self._api.list_services(zone.id, f"namespace {zone}")
        services = _index_services(zone, (one for found, _ in pages for one in found))
        return self._read_records(zone, services, sorted(set(names)))

    def _read_records(
        self, zone: Zone, services: Mapping[DnsName, CloudMapService], names: Iterable[DnsName]
    ) -> tuple[Record, ...]:
        """Return the records of *names*. A service without instances is not asked for them."""
        shows = self._settings.shows_descriptions
        found: list[Record] = []
        for name, service in ((name, services[name]) for name in names if name in services):
            instances = self._api.list_instances(service, _describe(name, zone)) if service.count != 0 else ()
            found += build_records(replace(service, instances=instances, count=None), name, shows_description=shows)
        return tuple(found)


def _index_services(zone: Zone, found: Iterable[CloudMapService]) -> dict[DnsName, CloudMapService]:
    named = ((parse_service_name(f"{service.name}.{zone.name}"), service) for service in found)
    return {name: service for name, service in named if name is not None}


_Steps = Generator[list[StartedOperation], None, CloudMapService | None]
"""The steps of one name: yields the operations to wait for before the next step, and returns the service at the end."""


class _Plan(NamedTuple):
    """What one name will hold: the service as it was read, None if there is none, its contents and its description."""

    name: DnsName
    service: CloudMapService | None
    contents: Contents
    description: str


@dataclass(slots=True)
class _Progress:
    """What became of a batch so far: the services at the end of their steps, failures, and how much was written."""

    services: dict[DnsName, CloudMapService | None] = field(default_factory=dict[DnsName, CloudMapService | None])
    failures: list[Failure] = field(default_factory=list[Failure])
    writes: int = 0

    @property
    def is_stopped(self) -> bool:
        """Whether a call failed in a way in which others would fail, too."""
        return any(isinstance(one, Forbidden | TryLater | Unknown) for one in self.failures)

    def start(self, name: DnsName, steps: _Steps) -> list[StartedOperation] | None:
        """Take the next step of *name*, and return the operations to wait for; None after the last step."""
        try:
            return None if self.is_stopped else next(steps)
        except StopIteration as end:
            self.services[name] = end.value
        except CallFailedError as exc:
            self.failures.append(_convert_to_outcome(exc, names=(name,)))
        return None

    def count(self, operation: StartedOperation) -> StartedOperation:
        """Count *operation*, which has been started, as a write until it turns out to have failed."""
        self.writes += 1
        return operation

    def finish(self, name: DnsName, api: CloudMapApi, operations: Iterable[StartedOperation]) -> bool:
        """Wait for *operations* until one does not end, and return whether all of them were carried out."""
        failed = False
        for operation in operations:
            if any(isinstance(one, Unknown) for one in self.failures):
                return False
            try:
                api.wait_for(operation)
            except CallFailedError as exc:
                failed = True
                self.writes -= exc.kind is not FailureKind.UNANSWERED
                self.failures.append(_convert_to_outcome(exc, names=(name,)))
        return not failed


class CloudMapWriter:
    """Writes several services at a time, each in steps, because Cloud Map carries out most calls later.

    New instances are registered before old ones are deregistered. A service of other types is deleted and created.
    """

    def __init__(self, settings: CloudMapSettings, api: CloudMapApi) -> None:
        self._settings = settings
        self._api = api

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make the writes of each name.

        A name that is refused does not stop the others. If some of it was written and some was not, the outcome is
        unknown, and the engine reads the names. Applied writes are unconditional: what others did to a service after
        it was read is overwritten. A service that they created in the meantime stays.
        """
        if problem := _find_problem(zone, batch):
            return problem
        made = _Progress()
        plans = [_plan(name, writes) for name, writes in group_by(batch.writes, lambda one: one.key.name).items()]
        steps = {plan.name: self._write(zone, plan, made) for plan in plans}
        while steps:
            started = {name: made.start(name, one) for name, one in steps.items()}
            steps = {
                name: steps[name]
                for name, operations in started.items()
                if operations is not None and made.finish(name, self._api, operations)
            }
        if made.failures and made.writes:
            return Unknown(message=f"some of it was written, and then: {made.failures[0].message}", unconditional=True)
        if made.failures:
            return join_failures(made.failures)
        keys = {write.key for write in batch.writes}
        shows = self._settings.shows_descriptions
        records = (
            record
            for name, service in made.services.items()
            if service
            for record in build_records(service, name, shows_description=shows)
            if record.key in keys
        )
        return Applied(records=tuple(sorted(records, key=lambda record: record.key)), unconditional=bool(keys))

    def _write(self, zone: Zone, plan: _Plan, made: _Progress) -> _Steps:
        """Bring the service of one name to what *plan* says."""
        context = _describe(plan.name, zone)
        service, contents = plan.service, dict(plan.contents)
        if service is None and not self._settings.shows_descriptions:
            service = self._find_service(zone, plan.name)
            contents = {**read_contents(service), **contents} if service else contents
        is_other = service is not None and not (service.ttls_s and TYPES.issuperset(dict(service.ttls_s)))
        if is_other or (rrtype.CNAME in contents and len(contents) > 1):
            raise CallFailedError(FailureKind.REFUSED, "aws-sd", context, ALREADY_EXISTS, "it has other types now")
        layout = plan_layout(contents) if contents else None
        if service and layout and not layout.fits(service):
            yield self._deregister(service, service.instances, context, made)
            self._api.delete_service(service, context)
            made.writes += 1
            service = None
        if service is None:
            if layout is None:
                return None
            tags, name = dict(self._settings.tags), build_service_name(plan.name, zone)
            service = self._api.create_service(zone.id, name, layout, plan.description, tags, context)
            made.writes += 1
        ttls_s = layout.ttls_s if layout else service.ttls_s
        if (service.ttls_s, service.description) != (ttls_s, plan.description):
            yield [made.count(self._api.update_service(service, ttls_s, plan.description, context))]
            service = replace(service, ttls_s=ttls_s, description=plan.description)
        known = {instance.values for instance in service.instances}
        is_held = list_targets(read_contents(service)) == list_targets(contents)
        wanted = known if is_held else {*layout.values} if layout else set[Attributes]()
        new = [Instance(id=build_instance_id(one), attributes=one) for one in sorted(wanted - known)]
        yield [made.count(self._api.register(service, one, context)) for one in new]
        ids = {instance.id for instance in new}
        others = [instance for instance in service.instances if instance.id not in ids]
        old = [instance for instance in others if instance.values not in wanted]
        yield self._deregister(service, old, context, made)
        service = replace(service, instances=sort_instances([*(one for one in others if one not in old), *new]))
        if not service.instances and self._settings.removes_empty:
            self._api.delete_service(service, context)
            made.writes += 1
            return None
        return service

    def _deregister(
        self, service: CloudMapService, instances: Iterable[Instance], context: str, made: _Progress
    ) -> list[StartedOperation]:
        """Deregister *instances*. One that is gone needs nothing."""
        started: list[StartedOperation] = []
        for instance in instances:
            try:
                started.append(made.count(self._api.deregister(service, instance, context)))
            except CallFailedError as exc:
                if exc.code != INSTANCE_GONE:
                    raise
        return started

    def _find_service(self, zone: Zone, name: DnsName) -> CloudMapService | None:
        """Return the service of *name*: without a registry, a record that is created does not show that it exists."""
        context, text = _describe(name, zone), build_service_name(name, zone)
        pages = self._api.list_services(zone.id, context)
        found = next((one for services, _ in pages for one in services if one.name.lower() == text), None)
        return found and replace(found, instances=self._api.list_instances(found, context), count=None)


def _describe(name: DnsName, zone: Zone) -> str:
    return f"service {name} in namespace {zone}"


def _plan(name: DnsName, writes: Sequence[Write]) -> _Plan:
    """Return what *writes* make of *name*. A deleted ownership record leaves the description."""
    exact = (write.old.exact for write in writes if write.old)
    service = next((one for one in exact if isinstance(one, CloudMapService)), None)
    contents = read_contents(service) if service else {}
    description = service.description if service else ""
    for write in writes:
        if write.key.type == rrtype.TXT:
            description = write.new.targets[0].removeprefix('"').removesuffix('"') if write.new else description
            continue
        _, ttl_s = contents.pop(write.key.type, ((), 0))
        if write.new:
            contents[write.key.type] = (write.new.targets, write.new.ttl_s or ttl_s)
    return _Plan(name, service, contents, description)


def count_calls(change_set: ChangeSet) -> int:
    """Return how many calls *change_set* takes: two for each instance and four, at most as many as a batch may have.

    So a change of more instances is a batch of its own.
    """
    plan = _plan(change_set.name, change_set.writes)
    old = {instance.values for instance in plan.service.instances} if plan.service else set[Attributes]()
    new = {*plan_layout(plan.contents).values} if plan.contents else set[Attributes]()
    return min(2 * len(old ^ new) + 4, _MAX_CALLS)


def _find_problem(zone: Zone, batch: Batch) -> Refused | WriteConflict | None:
    """Return why *batch* cannot be sent, as is known without a call; None if it can."""
    found = {one.name: problem for one in batch.change_sets if (problem := _find_name_problem(zone, one))}
    if found:
        message = "; ".join(f"{name}: {problem}" for name, problem in found.items())
        return Refused(message=message, offending_names=tuple(found))
    unread = {one.key.name for one in batch.writes if one.old and not isinstance(one.old.exact, CloudMapService)}
    if unread:
        return WriteConflict(message="the services of the records are not known", offending_names=tuple(sorted(unread)))
    return None


def _find_name_problem(zone: Zone, change_set: ChangeSet) -> str:
    for new in (write.new for write in change_set.writes if write.new):
        if not new.name.within(zone.name):
            return f"it lies outside namespace {zone}"
        if new.type != rrtype.TXT and (problem := find_problem(new, zone)):
            return problem
    plan = _plan(change_set.name, change_set.writes)
    if problem := find_cname_problem(plan.contents):
        return problem
    if plan.service is None and not plan.contents:
        return "there is no service that could have a description"
    return ""
