"""Render a template: run its tree on the data of one object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final, assert_never

from extdns.gotemplate import nodes
from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.functions import ANY_PARAMETER, VALUE_PARAMETER, TemplateBudget, TemplateFunction
from extdns.gotemplate.go_format import format_output, format_plain
from extdns.gotemplate.values import (
    NIL,
    GoValue,
    OptionalValue,
    TypeForm,
    dereference,
    find_struct_fields,
    find_type,
    get_field,
    is_true,
    list_entries,
    make_boolean,
    make_integer,
    make_string,
    make_typed,
)
from extdns.model.value import format_count

_GET: Final = "Get"
_METADATA: Final = "meta.ObjectMeta"
_PRINTED: Final = frozenset({TypeForm.TIME, TypeForm.INT_OR_STRING, TypeForm.QUANTITY})
_ZERO_TIME: Final = -62135596800
"""The first second of the year 1 as a Unix time."""


def call_method(value: GoValue, name: str) -> GoValue | None:
    """Call the method *name* of *value*; return None if *value* is nil or has no such method.

    An object's metadata has getters, such as `GetName`; a time has `IsZero`, `Unix` and `String`, an IntOrString
    `IntValue` and `String`, a quantity `String`.

    Raises:
        TemplateError: a time is not valid, or an integer exceeds 64 bits.
    """
    value, is_nil = dereference(value)
    if is_nil:
        return None
    if value.form in _PRINTED and name == "String":
        return make_string(format_plain(value))
    if value.form is TypeForm.TIME and name in {"IsZero", "Unix"}:
        return make_boolean(value.data is None) if name == "IsZero" else make_integer(_parse_unix_time(value.data))
    if value.form is TypeForm.INT_OR_STRING and name == "IntValue":
        return make_integer(_parse_int_or_zero(value.data))
    got = name.removeprefix(_GET)
    if value.form is TypeForm.STRUCT and got != name and got in find_struct_fields(_METADATA) and _has_metadata(value):
        return get_field(value, got)
    return None


def _has_metadata(value: GoValue) -> bool:
    return value.type.name == _METADATA or "ObjectMeta" in find_struct_fields(value.type.name)


def _parse_unix_time(text: str | None) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp()) if text is not None else _ZERO_TIME
    except ValueError as exc:
        raise TemplateError(f"{str(text)[:40]!r} is not a time; allowed: a time of RFC 3339") from exc


def _parse_int_or_zero(data: int | str) -> int:
    try:
        return int(data)
    except ValueError:
        return 0


_MAX_DEPTH: Final = 60
_SHORT_CIRCUITS: Final = {"and": False, "or": True}
_NOTHING_PIPED: Final[tuple[OptionalValue, ...]] = ()
"""The arguments piped into a command that does not follow a `|`. One that does gets one value."""


class _LoopJump(Exception):
    """Raised by `{{break}}` and `{{continue}}` to leave the current iteration of `{{range}}`."""

    def __init__(self, *, is_continue: bool) -> None:
        super().__init__()
        self.continues = is_continue


class Evaluator:
    """Renders a template. Each instance renders once."""

    def __init__(self, tree: nodes.TemplateTree, functions: Mapping[str, TemplateFunction], *, strict: bool) -> None:
        """Prepare to render *tree*. If *strict*, a missing map key is an error."""
        self._tree = tree
        self._functions = functions
        self._strict = strict
        self._budget = TemplateBudget()
        self._variables: list[tuple[str, OptionalValue]] = []
        self._output: list[str] = []
        self._depth = 0

    def render(self, data: GoValue) -> str:
        """Return the output for *data*. Raises `TemplateError`."""
        self._run_template(self._tree.main, data)
        return "".join(self._output)

    def _run_template(self, block: nodes.Block, dot: OptionalValue) -> None:
        """Run the main template or a named one on *dot*. Its only variable at the start is `$`, which is *dot*."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TemplateError(f"templates include each other too deeply; allowed: {_MAX_DEPTH} levels")
        outer, self._variables = self._variables, [("$", dot)]
        self._run_block(block, dot)
        self._variables = outer
        self._depth -= 1

    def _run_block(self, block: nodes.Block, dot: OptionalValue) -> None:
        for node in block:
            with _add_offset(node.offset):
                self._budget.use_steps()
                self._run_node(node, dot)

    def _run_node(self, node: nodes.Node, dot: OptionalValue) -> None:
        match node:
            case nodes.TextNode():
                self._write(node.text)
            case nodes.ActionNode():
                value = self._evaluate_pipeline(node.pipeline, dot)
                if not node.pipeline.variables:
                    self._write(format_output(value))
            case nodes.IfNode():
                with self._open_scope():
                    value = self._evaluate_pipeline(node.pipeline, dot)
                    truth = is_true(value)
                    self._run_block(
                        node.then_block if truth else node.else_block, value if truth and node.sets_dot else dot
                    )
            case nodes.RangeNode():
                with self._open_scope():
                    self._run_range(node, dot)
            case nodes.IncludeNode():
                self._run_include(node, dot)
            case nodes.JumpNode():
                raise _LoopJump(is_continue=node.is_continue)
            case _:
                assert_never(node)

    def _write(self, text: str) -> None:
        self._budget.use_text(len(text))
        self._output.append(text)

    def _run_include(self, node: nodes.IncludeNode, dot: OptionalValue) -> None:
        if node.name not in self._tree.defined:
            raise TemplateError(f'no template is called "{node.name}"')
        argument = self._evaluate_pipeline(node.pipeline, dot) if node.pipeline else None
        self._run_template(self._tree.defined[node.name], argument)

    @contextmanager
    def _open_scope(self) -> Iterator[None]:
        seen = len(self._variables)
        try:
            yield
        finally:
            del self._variables[seen:]

    def _run_range(self, node: nodes.RangeNode, dot: OptionalValue) -> None:
        value = self._evaluate_pipeline(node.pipeline, dot)
        names, assigns = node.pipeline.variables, node.pipeline.assigns
        empty = True
        try:
            for index, element in self._iterate(value, len(names)):
                empty = False
                self._budget.use_steps()
                with self._open_scope():
                    for name, one in zip(names, (index, element)[-len(names) :] if names else (), strict=True):
                        self._set_variable(name, one, assigns=assigns)
                    self._run_range_body(node.body, element)
        except _LoopJump:
            return
        if empty:
            self._run_block(node.else_block, dot)

    def _run_range_body(self, body: nodes.Block, element: OptionalValue) -> None:
        try:
            self._run_block(body, element)
        except _LoopJump as leap:
            if not leap.continues:
                raise

    def _iterate(self, value: OptionalValue, variables: int) -> Iterator[tuple[OptionalValue, OptionalValue]]:
        if value is None:
            return
        value, is_nil = dereference(value)
        match value.form:
            case TypeForm.INTEGER | TypeForm.UNSIGNED if variables <= 1:
                yield from ((None, GoValue(value.type, number)) for number in range(value.data))
            case TypeForm.SLICE:
                for at, data in enumerate(value.data or ()):
                    yield make_integer(at), make_typed(value.type.element, data)
            case TypeForm.MAP:
                self._budget.use_steps(len(value.data or ()))
                yield from list_entries(value)
            case _:
                raise TemplateError(f"cannot range over {'nil' if is_nil else value.form}")

    def _set_variable(self, name: str, value: OptionalValue, *, assigns: bool) -> None:
        if assigns:
            self._variables[self._find_variable(name)] = (name, value)
        else:
            self._variables.append((name, value))

    def _find_variable(self, name: str) -> int:
        for at in range(len(self._variables) - 1, -1, -1):
            if self._variables[at][0] == name:
                return at
        raise TemplateError(f"there is no variable {name}")

    def _evaluate_pipeline(self, pipeline: nodes.PipelineNode, dot: OptionalValue) -> OptionalValue:
        result: OptionalValue = None
        piped = _NOTHING_PIPED
        for command in pipeline.commands:
            with _add_offset(command.offset):
                self._budget.use_steps()
                value = self._evaluate_command(command, dot, piped)
            result = None if value is NIL else value
            piped = (result,)
        for name in pipeline.variables:
            self._set_variable(name, result, assigns=pipeline.assigns)
        return result

    def _evaluate_command(
        self, command: nodes.CommandNode, dot: OptionalValue, piped: tuple[OptionalValue, ...]
    ) -> OptionalValue:
        first, *arguments = command.operands
        has_arguments = bool(arguments or piped)
        match first:
            case nodes.FunctionNode():
                return self._call_function(first.name, arguments, dot, piped)
            case nodes.NilNode():
                raise TemplateError("nil cannot be rendered; allowed: nil as an argument")
            case _ if has_arguments:
                raise TemplateError("only functions take arguments")
            case _:
                return self._evaluate_operand(first, dot)

    def _evaluate_operand(self, node: nodes.Operand | nodes.PipelineNode, dot: OptionalValue) -> OptionalValue:
        """Return the value of *node*, which has no arguments."""
        match node:
            case nodes.DotNode():
                return dot
            case nodes.NilNode():
                return NIL
            case nodes.LiteralNode():
                return node.value
            case nodes.FieldNode():
                return self._resolve_fields(dot, node.names)
            case nodes.VariableNode():
                return self._resolve_fields(self._variables[self._find_variable(node.name)][1], node.names)
            case nodes.ChainNode():
                return self._resolve_fields(self._evaluate_operand(node.term, dot), node.names)
            case nodes.FunctionNode():
                return self._call_function(node.name, (), dot, _NOTHING_PIPED)
            case nodes.PipelineNode():
                return self._evaluate_pipeline(node, dot)
            case _:
                assert_never(node)

    def _resolve_fields(self, value: OptionalValue, names: Sequence[str]) -> OptionalValue:
        for name in names:
            self._budget.use_steps()
            if value is None:
                if self._strict:
                    raise TemplateError(f"cannot read .{name}: there is no value")
                continue
            owner = value
            value = call_method(owner, name) or get_field(owner, name)
            if value is None and self._strict:
                raise TemplateError(f"the map has no key {name}")
        return value

    def _call_function(
        self,
        name: str,
        operands: Sequence[nodes.Operand | nodes.PipelineNode],
        dot: OptionalValue,
        piped: tuple[OptionalValue, ...],
    ) -> OptionalValue:
        if name in _SHORT_CIRCUITS:
            return self._evaluate_and_or(name, operands, dot, piped)
        function = self._functions[name]
        count, fixed = len(operands) + len(piped), len(function.parameters) - function.is_variadic
        if count < fixed or (count > fixed and not function.is_variadic):
            few = "at least " if function.is_variadic else ""
            raise TemplateError(f"{name} takes {few}{format_count(fixed, 'argument')}, not {count}")
        parameters = (*function.parameters, *function.parameters[-1:] * count)[:count]
        arguments = [self._evaluate_argument(*item, dot) for item in zip(parameters, operands, strict=False)]
        arguments += [
            _convert_argument(parameter, value) for parameter, value in zip(parameters[-1:], piped, strict=False)
        ]
        result = function.call(*arguments)
        self._budget.use_text(sum(map(_measure, arguments)) + _measure(result, lists=True))
        return result

    def _evaluate_and_or(
        self,
        name: str,
        operands: Sequence[nodes.Operand | nodes.PipelineNode],
        dot: OptionalValue,
        piped: tuple[OptionalValue, ...],
    ) -> OptionalValue:
        """Evaluate `and` or `or`: return the first operand that decides the result, else the last operand."""
        if not operands and not piped:
            raise TemplateError(f"{name} takes at least 1 argument, not 0")
        value: OptionalValue = None
        for operand in operands:
            value = self._evaluate_argument(VALUE_PARAMETER, operand, dot)
            if is_true(value) is _SHORT_CIRCUITS[name]:
                return value
        return piped[0] if piped else value

    def _evaluate_argument(
        self, parameter: str, node: nodes.Operand | nodes.PipelineNode, dot: OptionalValue
    ) -> OptionalValue:
        with _add_offset(node.offset):
            self._budget.use_steps()
            return _convert_argument(parameter, self._evaluate_operand(node, dot))


def _convert_argument(parameter: str, value: OptionalValue) -> OptionalValue:
    """Convert *value* to an argument for *parameter*. Raises `TemplateError` if it does not fit."""
    if parameter == VALUE_PARAMETER:
        return None if value is NIL else value
    if parameter == ANY_PARAMETER:
        return NIL if value is None else value
    parameter_type = find_type(parameter)
    if value is None or value is NIL:
        if parameter_type.form is TypeForm.MAP:
            return GoValue(parameter_type, None)
        raise TemplateError(f"an argument has no value; allowed: {parameter_type.form}")
    if value.type.name == f"*{parameter}" and value.data is not None:
        value = GoValue(parameter_type, value.data)
    if value.type.name != parameter:
        raise TemplateError(
            f"an argument is {value.form} ({value.type.name}); allowed: {parameter_type.form} ({parameter})"
        )
    return value


def _measure(value: OptionalValue, *, lists: bool = False) -> int:
    """Return the length of *value* if it is a string, or a list and *lists* is set; else 0."""
    counted = (str, list) if lists else str
    return len(value.data) if value is not None and isinstance(value.data, counted) else 0


@contextmanager
def _add_offset(offset: int) -> Iterator[None]:
    """Set *offset* on a `TemplateError` that the `with` block raises and that has no offset yet."""
    try:
        yield
    except TemplateError as exc:
        if exc.offset >= 0:
            raise
        raise TemplateError(exc.message, offset) from exc
