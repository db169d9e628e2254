"""A template of the command line: read at the start, carried out on objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from extdns.errors import UsageError
from extdns.model.cluster import Kind
from extdns.model.lean import ObjectMeta
from extdns.sources.gotemplate.data import Data
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.evaluator import Evaluator
from extdns.sources.gotemplate.functions import NAMES, functions
from extdns.sources.gotemplate.nodes import Tree
from extdns.sources.gotemplate.parser import parse

_JOINT: Final = ","
_RAW: Final = "unstructured"
"""The source that sees every kind alike, whatever Go knows of it (spec sources 6.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The values of one flag as one template.

    Attributes:
        flag: as it is written, `--fqdn-template`.
        values: as they were given.
        sources: all names that `--source` may have, for `isSource`.
    """

    flag: str
    values: tuple[str, ...]
    tree: Tree
    sources: tuple[str, ...]

    @classmethod
    def read(cls, flag: str, values: Sequence[str], sources: Sequence[str]) -> Template | None:
        """Read the *values* of *flag*, None if they are blank.

        Raises:
            UsageError: one is no template, or they do not fit together; with the place of the mistake.
        """
        text = _JOINT.join(values)
        if not text.strip(f" \t\r\n{_JOINT}" if len(values) > 1 else None):
            return None
        begin = 0
        try:
            for value in values:  # each by itself as well, so that none leaves another open
                parse(value, NAMES)
                begin += len(value) + len(_JOINT)
            begin = 0
            tree = parse(text, NAMES)
        except TemplateError as exc:
            raise UsageError(f"{_place(flag, values, begin + max(exc.offset, 0))}: {exc.message}\n  {text}") from exc
        return cls(flag=flag, values=tuple(values), tree=tree, sources=tuple(sources))

    def items(self, kind: Kind, metadata: ObjectMeta, source: str) -> tuple[str, ...]:
        """What *source* gets of an object of *kind*: comma-separated items, each once and sorted (spec sources 8.7).

        What fails on the fields that Go knows is tried once more on the spelling of JSON, where no key may be
        missing.

        Raises:
            TemplateError: it cannot be carried out; the text names flag and place.
        """
        output = self._output(Data(kind, metadata), source)
        found = {item.strip().removesuffix(".") for item in output.split(_JOINT)}
        return tuple(sorted(found - {""}))

    def _output(self, data: Data, source: str) -> str:
        known = functions(source, self.sources)
        failure: TemplateError | None = None
        for value, strict in ((data.raw if source == _RAW else data.struct, False), (data.view, True)):
            if value is not None:
                try:
                    return Evaluator(self.tree, known, strict=strict).output(value)
                except TemplateError as exc:
                    failure = failure or exc
                except RecursionError:
                    failure = failure or TemplateError("templates and data are nested too deeply", 0)
        if failure is None:
            raise TypeError("there is always a view")
        where = _place(self.flag, self.values, failure.offset)
        raise TemplateError(f"{where}: {failure.message}", failure.offset) from failure


def _place(flag: str, values: Sequence[str], offset: int) -> str:
    """`--flag:line:column`, both from 1, with the number of the value where there are several."""
    at, number = offset, 0
    while number < len(values) - 1 and at > len(values[number]):
        at -= len(values[number]) + len(_JOINT)
        number += 1
    before = values[number][:at]
    which = f"[{number + 1}]" if len(values) > 1 else ""
    return f"{flag}{which}:{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"
