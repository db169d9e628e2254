"""Carries a template out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, assert_never

from extdns.model.quantity import count
from extdns.sources.gotemplate import nodes
from extdns.sources.gotemplate.budget import Budget
from extdns.sources.gotemplate.builtins import ANY, VALUE, Function
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.formats import shown
from extdns.sources.gotemplate.methods import method
from extdns.sources.gotemplate.types import Form, type_of
from extdns.sources.gotemplate.values import NIL, Maybe, Value, entries, field, integer, is_true, pointed, typed

_MAX_DEPTH: Final = 60
_SHORT: Final = {"and": False, "or": True}
_FIRST: Final[tuple[Maybe, ...]] = ()
"""What a command gets that nothing is piped into; else it gets one value."""


class _LeapError(Exception):
    """Ends a round of `{{range}}`, or all of them."""

    def __init__(self, *, continues: bool) -> None:
        super().__init__()
        self.continues = continues


class Evaluator:
    """One run of one template; lives for one call of `output`."""

    def __init__(self, tree: nodes.Tree, functions: Mapping[str, Function], *, strict: bool) -> None:
        """Run *tree*; if *strict*, a key that a map lacks is an error."""
        self._tree = tree
        self._functions = functions
        self._strict = strict
        self._budget = Budget()
        self._variables: list[tuple[str, Maybe]] = []
        self._found: list[str] = []
        self._depth = 0

    def output(self, data: Value) -> str:
        """What the template makes of *data*; raises `TemplateError`."""
        self._enter(self._tree.main, data)
        return "".join(self._found)

    def _enter(self, block: nodes.Block, dot: Maybe) -> None:
        """Carry out a template of its own: it sees no variable but `$`."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TemplateError(f"templates include each other too deeply; allowed: {_MAX_DEPTH} levels")
        outer, self._variables = self._variables, [("$", dot)]
        self._walk(block, dot)
        self._variables = outer
        self._depth -= 1

    def _walk(self, block: nodes.Block, dot: Maybe) -> None:
        for node in block:
            with _at(node.offset):
                self._budget.step()
                self._do(node, dot)

    def _do(self, node: nodes.Node, dot: Maybe) -> None:
        match node:
            case nodes.Text():
                self._write(node.text)
            case nodes.Action():
                value = self._pipeline(node.pipeline, dot)
                if not node.pipeline.variables:
                    self._write(shown(value))
            case nodes.If():
                with self._scope():
                    value = self._pipeline(node.pipeline, dot)
                    truth = is_true(value)
                    self._walk(node.then if truth else node.otherwise, value if truth and node.dot else dot)
            case nodes.Range():
                with self._scope():
                    self._range(node, dot)
            case nodes.Include():
                self._include(node, dot)
            case nodes.Leap():
                raise _LeapError(continues=node.continues)
            case _:
                assert_never(node)

    def _write(self, text: str) -> None:
        self._budget.text(len(text))
        self._found.append(text)

    def _include(self, node: nodes.Include, dot: Maybe) -> None:
        if node.name not in self._tree.defined:
            raise TemplateError(f'no template is called "{node.name}"')
        given = self._pipeline(node.pipeline, dot) if node.pipeline else None
        self._enter(self._tree.defined[node.name], given)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        seen = len(self._variables)
        try:
            yield
        finally:
            del self._variables[seen:]

    def _range(self, node: nodes.Range, dot: Maybe) -> None:
        value = self._pipeline(node.pipeline, dot)
        names, assigns = node.pipeline.variables, node.pipeline.assigns
        empty = True
        try:
            for index, element in self._rounds(value, len(names)):
                empty = False
                self._budget.step()
                with self._scope():
                    for name, one in zip(names, (index, element)[-len(names) :] if names else (), strict=True):
                        self._let(name, one, assigns=assigns)
                    self._round(node.body, element)
        except _LeapError:
            return
        if empty:
            self._walk(node.otherwise, dot)

    def _round(self, body: nodes.Block, element: Maybe) -> None:
        try:
            self._walk(body, element)
        except _LeapError as leap:
            if not leap.continues:
                raise

    def _rounds(self, value: Maybe, variables: int) -> Iterator[tuple[Maybe, Maybe]]:
        if value is None:
            return
        value, is_nil = pointed(value)
        match value.form:
            case Form.INTEGER | Form.UNSIGNED if variables <= 1:
                yield from ((None, Value(value.type, number)) for number in range(value.data))
            case Form.SLICE:
                for at, data in enumerate(value.data or ()):
                    yield integer(at), typed(value.type.of, data)
            case Form.MAP:
                self._budget.step(len(value.data or ()))
                yield from entries(value)
            case _:
                raise TemplateError(f"range cannot go through {'nil' if is_nil else value.form}")

    def _let(self, name: str, value: Maybe, *, assigns: bool) -> None:
        if assigns:
            self._variables[self._place(name)] = (name, value)
        else:
            self._variables.append((name, value))

    def _place(self, name: str) -> int:
        for at in range(len(self._variables) - 1, -1, -1):
            if self._variables[at][0] == name:
                return at
        raise TemplateError(f"no variable {name} here")

    def _pipeline(self, pipeline: nodes.Pipeline, dot: Maybe) -> Maybe:
        result: Maybe = None
        piped = _FIRST
        for command in pipeline.commands:
            with _at(command.offset):
                self._budget.step()
                value = self._command(command, dot, piped)
            result = None if value is NIL else value
            piped = (result,)
        for name in pipeline.variables:
            self._let(name, result, assigns=pipeline.assigns)
        return result

    def _command(self, command: nodes.Command, dot: Maybe, piped: tuple[Maybe, ...]) -> Maybe:
        first, *arguments = command.operands
        has_arguments = bool(arguments or piped)
        match first:
            case nodes.Function():
                return self._call(first.name, arguments, dot, piped)
            case nodes.Nil():
                raise TemplateError("nil is no command")
            case _ if has_arguments:
                raise TemplateError("arguments for what is no function")
            case _:
                return self._operand(first, dot)

    def _operand(self, node: nodes.Operand | nodes.Pipeline, dot: Maybe) -> Maybe:
        """The value of *node* where it stands without arguments."""
        match node:
            case nodes.Dot():
                return dot
            case nodes.Nil():
                return NIL
            case nodes.Literal():
                return node.value
            case nodes.Field():
                return self._fields(dot, node.names)
            case nodes.Variable():
                return self._fields(self._variables[self._place(node.name)][1], node.names)
            case nodes.Chain():
                return self._fields(self._operand(node.term, dot), node.names)
            case nodes.Function():
                return self._call(node.name, (), dot, _FIRST)
            case nodes.Pipeline():
                return self._pipeline(node, dot)
            case _:
                assert_never(node)

    def _fields(self, value: Maybe, names: Sequence[str]) -> Maybe:
        for name in names:
            self._budget.step()
            if value is None:
                if self._strict:
                    raise TemplateError(f"there is nothing to take .{name} of")
                continue
            owner = value
            value = method(owner, name) or field(owner, name)
            if value is None and self._strict:
                raise TemplateError(f"there is no key {name}")
        return value

    def _call(
        self, name: str, operands: Sequence[nodes.Operand | nodes.Pipeline], dot: Maybe, piped: tuple[Maybe, ...]
    ) -> Maybe:
        if name in _SHORT:
            return self._short(name, operands, dot, piped)
        function = self._functions[name]
        given, fixed = len(operands) + len(piped), len(function.parameters) - function.repeats
        if given < fixed or (given > fixed and not function.repeats):
            few = "at least " if function.repeats else ""
            raise TemplateError(f"{name} takes {few}{count(fixed, 'argument')}, not {given}")
        parameters = (*function.parameters, *function.parameters[-1:] * given)[:given]
        arguments = [self._argument(*pair, dot) for pair in zip(parameters, operands, strict=False)]
        arguments += [_fitting(parameter, value) for parameter, value in zip(parameters[-1:], piped, strict=False)]
        result = function.call(*arguments)
        self._budget.text(sum(map(_length, arguments)) + _length(result, lists=True))
        return result

    def _short(
        self, name: str, operands: Sequence[nodes.Operand | nodes.Pipeline], dot: Maybe, piped: tuple[Maybe, ...]
    ) -> Maybe:
        """`and` and `or`: the first operand that decides, else the last one."""
        if not operands and not piped:
            raise TemplateError(f"{name} takes at least 1 argument, not 0")
        value: Maybe = None
        for operand in operands:
            value = self._argument(VALUE, operand, dot)
            if is_true(value) is _SHORT[name]:
                return value
        return piped[0] if piped else value

    def _argument(self, parameter: str, node: nodes.Operand | nodes.Pipeline, dot: Maybe) -> Maybe:
        with _at(node.offset):
            self._budget.step()
            return _fitting(parameter, self._operand(node, dot))


def _fitting(parameter: str, value: Maybe) -> Maybe:
    """*value* as an argument for *parameter*; raises `TemplateError` if it does not fit."""
    if parameter == VALUE:
        return None if value is NIL else value
    if parameter == ANY:
        return NIL if value is None else value
    wanted = type_of(parameter)
    if value is None or value is NIL:
        if wanted.form is Form.MAP:
            return Value(wanted, None)
        raise TemplateError(f"no value; allowed: {wanted.form}")
    if value.type.name == f"*{parameter}" and value.data is not None:
        value = Value(wanted, value.data)
    if value.type.name != parameter:
        raise TemplateError(f"{value.form} ({value.type.name}); allowed: {wanted.form} ({parameter})")
    return value


def _length(value: Maybe, *, lists: bool = False) -> int:
    """Of a text, or of *lists* too, where these may be copies."""
    counted = (str, list) if lists else str
    return len(value.data) if value is not None and isinstance(value.data, counted) else 0


@contextmanager
def _at(offset: int) -> Iterator[None]:
    """Give mistakes within their place, if they have none."""
    try:
        yield
    except TemplateError as exc:
        if exc.offset >= 0:
            raise
        raise TemplateError(exc.message, offset) from exc
