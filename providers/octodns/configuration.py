"""Read the zones and providers of the user's octoDNS configuration (docs/design/octodns.md, "Configuration")."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import yaml
from octodns.provider.base import BaseProvider
from octodns.record import Record as OctodnsRecord
from octodns.yaml import safe_load
from octodns.zone import Zone as OctodnsZone

from extdns.errors import InvalidValueError, UsageError, escape_unprintable, sanitize
from extdns.model.dns_name import DnsName
from providers.octodns.secrets import SecretValues
from providers.octodns.settings import OctodnsSettings

_TIMEOUT_S: Final = 30.0
_VALIDATORS: Final = ("legacy",)  # the name of octoDNS's default rules
_THRESHOLDS: Final = ("update_pcent_threshold", "delete_pcent_threshold")
_REPEATING_LOGGERS: Final = ("Record", "Zone")
_REWRITING: Final = frozenset({"octodns_bind.ZoneFileProvider"})
"""Providers that replace a zone by the changes of a plan, so that all other records would be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A provider of octoDNS that zones are written to.

    Attributes:
        id: the name of the provider in the configuration.
        arguments: the arguments of the class, with secrets.
        instance: an instance of the class that reads and writes nothing, but states what the class supports.
    """

    id: str
    provider_class: Callable[..., Any]
    arguments: Mapping[str, Any] = field(repr=False)
    instance: Any

    def build(self) -> Any:  # noqa: ANN401 - octoDNS has no types
        """Return a new instance of the class, which has read nothing yet."""
        return self.provider_class(self.id, **deepcopy(dict(self.arguments)))

    @property
    def min_ttl_s(self) -> int:
        """The least TTL that the provider writes, in seconds; 0 if it states none."""
        found = getattr(self.instance, "min_ttl", getattr(self.instance, "MIN_TTL", 0))
        return found if isinstance(found, int) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredZone:
    """A zone with its target.

    Attributes:
        thresholds: the share of the records that octoDNS may update in a plan, and that which it may delete; None where
            the provider decides.
    """

    name: DnsName
    target: Target
    thresholds: tuple[float | None, float | None]

    def build(self) -> Any:  # noqa: ANN401 - octoDNS has no types
        """Return octoDNS's container for the records of the zone, empty."""
        update, delete = self.thresholds
        return OctodnsZone(f"{self.name}.", set(), update_pcent_threshold=update, delete_pcent_threshold=delete)


def load_zones(settings: OctodnsSettings) -> tuple[dict[DnsName, ConfiguredZone], tuple[DnsName, ...]]:
    """Return the zones of the configuration that pass the filters, by name, and the names of the others, sorted."""
    OctodnsRecord.enable_validators(_VALIDATORS)
    for name in _REPEATING_LOGGERS:  # about invalid records of others, with every reading
        logging.getLogger(name).setLevel(logging.ERROR)
    flag = f"--octodns-config={escape_unprintable(str(settings.path))}"
    try:
        return _Configuration(_load(settings.path), settings).find_zones()
    except UsageError as exc:
        raise UsageError(f"{flag}: {exc}") from exc


def _load(path: Path) -> Mapping[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            found = safe_load(file, enforce_order=False)
    except OSError as exc:  # also of a file that is included
        other = f"{sanitize(str(exc.filename))}: " if exc.filename not in {None, str(path)} else ""
        raise UsageError(f"{other}{exc.strerror}") from exc
    except yaml.MarkedYAMLError as exc:
        line = f"line {exc.problem_mark.line + 1}: " if exc.problem_mark else ""
        raise UsageError(f"{line}{sanitize(str(exc.problem))}; allowed: YAML, indented by spaces") from exc
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as exc:
        raise UsageError(f"it is not YAML ({type(exc).__name__})") from exc
    return _require_mapping(found, "the file")


def _require_mapping(found: object, what: str) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise UsageError(f"{what} is not a mapping; allowed: NAME: VALUE lines")
    return found


class _Configuration:
    """The parts of a configuration, and the targets built so far: a target is built when a zone needs it."""

    def __init__(self, document: Mapping[str, Any], settings: OctodnsSettings) -> None:
        self._sections = {
            name: _require_mapping(document.get(name) or {}, f"section {name}")
            for name in ("providers", "secret_handlers", "zones")
        }
        self._is_selected = settings.is_selected
        self._targets: dict[str, Target] = {}
        self._secrets = SecretValues(offline=settings.offline)
        for name, entry in self._sections["secret_handlers"].items():
            what = f"secret handler {sanitize(str(name))}"
            handler_class, arguments = self._prepare(_require_mapping(entry, what), what)
            self._secrets.handlers[str(name)] = _construct(what, handler_class, str(name), arguments)

    def find_zones(self) -> tuple[dict[DnsName, ConfiguredZone], tuple[DnsName, ...]]:
        """Return the zones that pass the filters, and the names of the others.

        Names with a `*` stand for zones of sources and are left out.
        """
        entries: dict[DnsName, object] = {}
        for text, entry in self._sections["zones"].items():
            if not str(text).startswith("*"):
                name = _parse_name(str(text))
                if name in entries:
                    raise UsageError(f"zone {name} is listed twice")
                entries[name] = entry
        if not entries:
            raise UsageError("no zone under `zones` has a name without *")
        managed = {
            name: self._build_zone(name, _require_mapping(entry or {}, f"zone {name}"))
            for name, entry in entries.items()
            if self._is_selected(name)
        }
        return managed, tuple(sorted(entries.keys() - managed.keys()))

    def _build_zone(self, name: DnsName, entry: Mapping[str, Any]) -> ConfiguredZone:
        targets = entry.get("targets") or []
        if not isinstance(targets, list) or not targets:
            raise UsageError(f"zone {name} has no provider; give `targets: [PROVIDER]`, or exclude the zone")
        if len(targets) > 1:
            listed = ", ".join(sanitize(str(one)) for one in targets)
            raise UsageError(f"zone {name} has {len(targets)} targets: {listed}; allowed: one, or exclude the zone")
        update, delete = (_read_threshold(name, key, entry.get(key)) for key in _THRESHOLDS)
        return ConfiguredZone(name=name, target=self._find_target(str(targets[0]), name), thresholds=(update, delete))

    def _find_target(self, target_id: str, zone: DnsName) -> Target:
        if found := self._targets.get(target_id):
            return found
        what = f"provider {sanitize(target_id)}"
        if target_id not in self._sections["providers"]:
            listed = sanitize(", ".join(map(str, self._sections["providers"])))
            allowed = listed or "a provider that is listed there"
            raise UsageError(f"zone {zone}: {what} is not under `providers`; allowed: {allowed}")
        entry = _require_mapping(self._sections["providers"][target_id], what)
        provider_class, arguments = self._prepare(entry, what)
        _require_provider(provider_class, what)
        parameter = inspect.signature(provider_class).parameters.get("timeout")
        if parameter is not None and parameter.default is None:
            arguments.setdefault("timeout", _TIMEOUT_S)
        instance = _construct(what, provider_class, target_id, arguments)
        found = Target(id=target_id, provider_class=provider_class, arguments=arguments, instance=instance)
        return self._targets.setdefault(target_id, found)

    def _prepare(self, entry: Mapping[str, Any], what: str) -> tuple[type, dict[str, Any]]:
        class_name = entry.get("class")
        if not isinstance(class_name, str):
            raise UsageError(f"{what} has no class; give `class: MODULE.CLASS`")
        found = _import_class(class_name, what)
        arguments = self._secrets.resolve({key: value for key, value in entry.items() if key != "class"}, what)
        return found, arguments


def _parse_name(text: str) -> DnsName:
    try:
        return DnsName.parse(text)
    except InvalidValueError as exc:
        raise UsageError(f"zone {sanitize(text)} is not a DNS name; allowed: {exc.allowed}") from exc


def _read_threshold(zone: DnsName, key: str, value: object) -> float | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise UsageError(f"zone {zone}: {key} is not a number; allowed: 0.3 for 30 %")


def _import_class(class_name: str, what: str) -> type:
    """Import and return the class *class_name*; messages state that it is for *what*."""
    module_name, _, name = class_name.rpartition(".")
    package = module_name.partition(".")[0]
    shown = sanitize(class_name)
    try:
        found = getattr(import_module(module_name), name)
    except ModuleNotFoundError as exc:
        if exc.name == package:
            install = sanitize(package.replace("_", "-"))
            raise UsageError(f"{what}: class {shown} is not installed; try: pip install {install}") from exc
        raise UsageError(f"{what}: there is no class {shown}: {sanitize(str(exc))}") from exc
    except (AttributeError, ValueError) as exc:
        raise UsageError(f"{what}: there is no class {shown}") from exc
    except Exception as exc:  # a module can raise anything
        raise UsageError(f"{what}: class {shown} cannot be imported: {sanitize(str(exc))}") from exc
    if not inspect.isclass(found):
        raise UsageError(f"{what}: {shown} is not a class")
    return found


def _require_provider(provider_class: type, what: str) -> None:
    if not issubclass(provider_class, BaseProvider):
        raise UsageError(f"{what}: class {provider_class.__name__} cannot write; allowed: a provider of octoDNS")
    if not _REWRITING.isdisjoint(f"{one.__module__}.{one.__qualname__}" for one in provider_class.__mro__):
        raise UsageError(
            f"{what}: class {provider_class.__name__} writes only the records that change, and loses all others of the"
            " zone; use --provider=zonefile"
        )


def _construct(what: str, of: type, name: str, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of any class
    try:
        return of(name, **deepcopy(dict(arguments)))
    except TypeError as exc:
        raise UsageError(f"{what}: the arguments do not fit {of.__name__}: {sanitize(str(exc))}") from exc
    except Exception as exc:  # a constructor can raise anything
        raise UsageError(f"{what} cannot be created: {type(exc).__name__}: {sanitize(str(exc))}") from exc
