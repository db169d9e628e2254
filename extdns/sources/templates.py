"""Names and targets that templates make of objects (spec sources 8.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.sources.draft import Draft
from extdns.sources.targets import Missing, found

if TYPE_CHECKING:  # what carries them out is loaded where there is one
    from extdns.sources.gotemplate.template import Template

_NO_TARGET: Final = Missing(reason=Reason.INVALID_TARGET, detail="the template gives no target")


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The templates of the command line; their methods raise `TemplateError` for an object they fail on.

    Attributes:
        combine: use them for objects that name themselves too.
    """

    fqdn: Template | None = None
    fqdn_target: Template | None = None
    target: Template | None = None
    combine: bool = False

    @property
    def any(self) -> bool:
        """Whether there is one, for which objects must be kept whole."""
        return self.fqdn is not None or self.fqdn_target is not None

    def hosts(self, source: str, kind: Kind, obj: KubernetesObject, *, named: bool) -> Iterator[tuple[str, str]]:
        """The names that *source* publishes for *obj*, each with the flag it comes from.

        Args:
            source: as `--source` spells it.
            kind: of *obj*.
            obj: kept whole.
            named: whether there is an endpoint without them.
        """
        if self.fqdn is not None and (self.combine or not named):
            for text in self.fqdn.items(kind, obj.metadata, source):
                yield text, self.fqdn.flag

    def add_pairs(self, draft: Draft, source: str, kind: Kind, obj: KubernetesObject, *, named: bool) -> None:
        """Let *draft* ask for the names and targets of `--fqdn-target-template`; as `hosts`."""
        template = self.fqdn_target
        if template is not None and (self.combine or not named):
            for text, target in _pairs(template.items(kind, obj.metadata, source)):
                draft.ask(text, template.flag, found((target,), template.flag, otherwise=_NO_TARGET))

    def add_crossed(self, draft: Draft, source: str, kind: Kind, obj: KubernetesObject, *, named: bool) -> None:
        """Let *draft* ask for all names at all targets of `--target-template`; as `hosts`."""
        made, template = tuple(self.hosts(source, kind, obj, named=named)), self.target
        if not made or template is None:
            return
        targets = template.items(kind, obj.metadata, source)
        for text, flag in made if targets else ():
            draft.ask(text, flag, found(targets, template.flag, otherwise=_NO_TARGET))


NONE: Final = Templates()


def _pairs(items: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and target of each item `name:target`; what is no pair is skipped."""
    for item in items:
        name, _, target = (part.strip() for part in item.partition(":"))
        if name and target:
            yield name, target
