"""Find the specs of sources, providers and registries by their names: ours by their files, others by entry points.

Only what is chosen is imported, and only when it is needed. The specs are in packages above this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from extdns.errors import UsageError
from extdns.flags.kind import ValueKind, make_choice_kind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Specs:
    """The specs among which a flag chooses by name.

    Attributes:
        flag: the flag, without dashes.
        modules: the module of each of ours, by name, sorted; its spec is the flag in capitals.
        kind: module and class of the specs.
        group: the group of entry points by which other packages add specs.
    """

    flag: str
    modules: Mapping[str, str]
    kind: str
    group: str

    @property
    def available(self) -> tuple[str, ...]:
        """The names of ours, sorted."""
        return tuple(self.modules)

    def find_added(self, name: str) -> EntryPoint | None:
        """Return the entry point of the spec *name* of another package, None if no package has one."""
        from importlib.metadata import entry_points  # noqa: PLC0415 - takes long, and is needed only for these

        return next(iter(entry_points(group=self.group, name=name)), None)

    def find(self, name: str) -> Any:  # noqa: ANN401 - the classes are in packages above this one
        """Return the spec *name*, None if neither we nor another package has it."""
        if name in self.modules:
            return getattr(import_module(self.modules[name]), self.flag.upper())
        entry_point = self.find_added(name)
        return None if entry_point is None else self._load_added(name, entry_point)

    def load(self, name: str) -> Any:  # noqa: ANN401 - the same
        """Return the spec *name*, which was found before."""
        spec = self.find(name)
        if spec is None:
            raise UsageError(f"--{self.flag}={name} is no longer installed")
        return spec

    def _load_added(self, name: str, entry_point: EntryPoint) -> object:
        try:
            spec = entry_point.load()
        except (ImportError, AttributeError) as exc:
            raise UsageError(f"--{self.flag}={name} cannot be imported from {entry_point.value}: {exc}") from exc
        module, _, kind = self.kind.partition(":")
        if not isinstance(spec, getattr(import_module(module), kind)) or spec.name != name:
            raise UsageError(
                f"--{self.flag}={name}: {entry_point.value} is not the {kind} of a {self.flag} with this name"
            )
        return spec

    def make_kind(self, noun: str, others: Iterable[str] = ()) -> ValueKind[str]:
        """Make the kind of the flag. *others* are the names that only external-dns has."""
        known = make_choice_kind(noun, *sorted({*self.available, *others}))

        def parse(text: str) -> str:
            return text if text not in self.modules and self.find_added(text) else known.parse(text)

        return replace(known, parse=parse)


def _sort(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    return dict(sorted((name.replace("_", "-"), module) for name, module in found))


SOURCE_SPECS: Final = Specs(
    flag="source",
    modules=_sort(
        (path.stem, f"extdns.sources.{path.stem}") for path in _ROOT.joinpath("extdns/sources").glob("[a-z]*.py")
    ),
    kind="extdns.sources.common.spec:SourceSpec",
    group="extdns.sources",
)


def _list_packages(folder: str) -> dict[str, str]:
    """Return the modules of specs by name: `spec` of a package has its name, `spec_x` the same with -x at its end."""
    files = [(path.parent.name, path.stem) for path in _ROOT.joinpath(folder).glob("*/spec*.py")]
    return _sort((package + stem.removeprefix("spec"), f"{folder}.{package}.{stem}") for package, stem in files)


PROVIDER_SPECS: Final = Specs(
    flag="provider",
    modules=_list_packages("providers"),
    kind="providers.common.provider_spec:ProviderSpec",
    group="extdns.providers",
)
REGISTRY_SPECS: Final = Specs(
    flag="registry",
    modules=_list_packages("registry"),
    kind="registry.registry_spec:RegistrySpec",
    group="extdns.registries",
)
