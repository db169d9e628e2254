"""Compile, check and evaluate one expression.

The evaluator checks syntax. Before anything is evaluated, this module checks that the variables, fields and functions
of an expression exist, that functions get as many arguments as they take, and that loops are not nested deeply. Types
are checked by a dry evaluation (`typical_inputs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from extdns.cel.functions import FUNCTIONS, NATIVE_FUNCTIONS, count_arguments
from extdns.cel.library import Context, Program, compile_program
from extdns.cel.references import FIELDS, INTERNAL, RESERVED, FieldSchema
from extdns.cel.syntax import ExpressionSyntax, FieldPath, FunctionCall, read_syntax, rename_variable
from extdns.errors import ExtdnsError, describe_error, find_similar, sanitize

MAX_EXPRESSION: Final = 2048
"""The longest expression, in characters."""

MAX_LOOP_DEPTH: Final = 2
MAX_STEPS: Final = 100_000
"""The most steps that the loops of one expression may take, estimated before it is evaluated."""

_TEXT_PER_STEP: Final = 1024
_COPIES_PER_STEP: Final = 10
_MAX_RESULT_DEPTH: Final = 8

VARIABLES: Final = "variables"
"""The variable whose fields are the variables of the rule."""

_TYPES: Final = frozenset({"bool", "bytes", "double", "dyn", "int", "list", "map", "null_type", "string", "uint"})
_NAMESPACES: Final = frozenset(name.partition(".")[0] for name in FUNCTIONS if "." in name)
_PYTHON_ERROR: Final = re.compile(r"Python function call failed: \w+: ")
_ADVICE: Final = re.compile(r"[:.] (?:Check |CEL does not |the operation is ).*", re.DOTALL)
_UNDEFINED: Final = re.compile(r"Undefined variable or function: '([\w.]+)'.*", re.DOTALL)
_SYNTAX: Final = re.compile(r"<input>:(\d+):(\d+): (?:Syntax error: )?(.*)")
_EXPECTING: Final = re.compile(r" expecting .*")
_UNEXPECTED: Final = re.compile(
    r"(?:(?:mismatched|extraneous|no viable alternative at) input|token recognition error at:) '(.*)'"
)
_END: Final = "<EOF>"
_QUOTED_END: Final = f"'{_END}'"
_OPERATORS: Final = {"and": "&&", "or": "||", "not": "!", "=": "=="}
"""What is often written in place of an operator of CEL."""


class InvalidExpressionError(ExtdnsError):
    """An expression cannot be used; the message says why and what is allowed."""


class EvaluationError(ExtdnsError):
    """An expression has no value for one input.

    Attributes:
        is_type_error: whether an operator or function is not defined for the types of its operands.
        missing_key: the key that a map lacks, "" if that is not the reason.
    """

    def __init__(self, message: str, *, is_type_error: bool = False, missing_key: str = "") -> None:
        super().__init__(message)
        self.is_type_error = is_type_error
        self.missing_key = missing_key


class Expression:
    """A compiled expression. Safe from any thread.

    Attributes:
        syntax: the variables, fields and functions that it refers to.
        variables: the variables of its rule that it refers to; None if that may be any of them.
    """

    __slots__ = ("_program", "source", "syntax", "variables")

    def __init__(self, source: str, syntax: ExpressionSyntax, program: Program) -> None:
        self.source = source
        self.syntax = syntax
        self._program = program
        paths = [path.names for path in syntax.paths if path.names[0] == VARIABLES]
        self.variables = None if (VARIABLES,) in paths else tuple(dict.fromkeys(names[1] for names in paths))

    def evaluate(self, context: Context) -> object:
        """Return the value of the expression.

        Raises:
            EvaluationError: the expression has no value for the variables in *context*.
        """
        try:
            return self._program.execute(context)
        except Exception as error:
            raise _convert_error(error) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a defect of the evaluator
                raise
            raise EvaluationError(f"the evaluator failed: {sanitize(str(error))}") from error


def compile_expression(source: str, variables: Sequence[str] = ()) -> Expression:
    """Compile *source*, which may refer to *variables* of its rule.

    Raises:
        InvalidExpressionError: it is too long, not CEL, or refers to something that does not exist.
    """
    if len(source) > MAX_EXPRESSION:
        raise InvalidExpressionError(
            f"has {len(source)} characters; allowed: {MAX_EXPRESSION}; move parts of it to spec.variables"
        )
    program = _compile_program(source)
    syntax = read_syntax(source, _NAMESPACES)
    schema: FieldSchema = {**FIELDS, VARIABLES: dict.fromkeys(variables)}
    for path in syntax.paths:
        _check_path(path, schema)
    for call in syntax.calls:
        _check_call(call)
    if syntax.loop_depth > MAX_LOOP_DEPTH:
        raise InvalidExpressionError(f"nests {syntax.loop_depth} loops; allowed: {MAX_LOOP_DEPTH}")
    return Expression(source, syntax, program)


def compile_list(expressions: Sequence[Expression]) -> Expression | None:
    """Return an expression whose value is the list of the values of *expressions*; None if it cannot be compiled.

    If one of them has no value, the list has none.
    """
    source = "[" + "\n,".join(one.source for one in expressions) + "\n]"  # a comment ends with the line
    try:
        return Expression(source, read_syntax(source, _NAMESPACES), _compile_program(source))
    except InvalidExpressionError:
        return None


def _compile_program(source: str) -> Program:
    try:
        return compile_program(rename_variable(source, RESERVED, INTERNAL))
    except Exception as error:
        raise InvalidExpressionError(f"is not CEL: {_describe_syntax_error(error)}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise InvalidExpressionError(f"is not CEL: {sanitize(str(error))}") from error


def _describe_syntax_error(error: Exception) -> str:
    found = _SYNTAX.search(str(error))
    if not found:
        return sanitize(str(error))
    line, column, text = found.groups()
    location = f"line {line}, character {column}" if line != "1" else f"character {column}"
    problem = _EXPECTING.sub("", text)
    if unexpected := _UNEXPECTED.fullmatch(problem):
        token = unexpected[1].strip()
        advice = f"; did you mean: {_OPERATORS[token]}" if token in _OPERATORS else ""
        problem = "the expression is incomplete" if token == _END else f'unexpected "{token}"{advice}'
    return f"{location}: {sanitize(problem).replace(_QUOTED_END, 'the end')}"


def _check_path(path: FieldPath, schema: FieldSchema) -> None:
    """Raise `InvalidExpressionError` if *path* names a variable or field that does not exist."""
    fields: FieldSchema | None = schema
    parent = ""
    for name in path.names:
        if fields is None or (not parent and name in _TYPES):
            return
        if name not in fields:
            near = find_similar(name, fields)
            advice = f"; did you mean: {parent}{near}" if near else ""
            allowed = ", ".join(sorted(fields)) or "none, because spec.variables declares none before this expression"
            raise InvalidExpressionError(
                f"refers to {parent}{sanitize(name)}, which does not exist; allowed: {allowed}{advice}"
            )
        fields = fields[name]
        parent += f"{name}."


def _check_call(call: FunctionCall) -> None:
    """Raise `InvalidExpressionError` if there is no such function, or it takes another number of arguments."""
    if call.name in NATIVE_FUNCTIONS:
        return
    if call.name not in FUNCTIONS:
        near = find_similar(call.name, (*FUNCTIONS, *NATIVE_FUNCTIONS))
        advice = f"; did you mean: {near}" if near else "; allowed: the functions of docs/reference/dnspolicy.md"
        raise InvalidExpressionError(f"calls {sanitize(call.name)}(), which does not exist{advice}")
    least, most = count_arguments(call.name)
    if not least <= call.arguments <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise InvalidExpressionError(
            f"calls {call.name}() with {call.arguments} arguments, counting the one before the dot; allowed: {allowed}"
        )


def _convert_error(error: Exception) -> EvaluationError:
    text = str(error)
    match error:
        case KeyError() if error.args:
            key = sanitize(str(error.args[0]))
            return EvaluationError(
                f'there is no key or field "{key}"; test for it first, with has() or in', missing_key=key
            )
        case IndexError():
            return EvaluationError(f"a list has no such element: {sanitize(text)}")
        case TypeError() if text.startswith("No such overload"):
            return EvaluationError("an operator is not defined for values of these types", is_type_error=True)
        case TypeError():
            return EvaluationError(_simplify(text), is_type_error=True)
        case _ if found := _UNDEFINED.fullmatch(text):  # declared: so there is no overload
            return EvaluationError(f"{found[1]}() is not defined for values of these types", is_type_error=True)
        case RuntimeError() | ArithmeticError() | ValueError():
            return EvaluationError(_simplify(text), is_type_error="failed: TypeError" in text)
        case _:
            return EvaluationError(sanitize(describe_error(error)))


def _simplify(text: str) -> str:
    """Return the message of the evaluator without its advice, which is about Python."""
    return sanitize(_ADVICE.sub("", _PYTHON_ERROR.sub("", text)), 300)


def measure_value(value: object) -> tuple[int, int]:
    """Return the number of elements of the longest list or map in *value*, and of characters of its longest text.

    Raises:
        EvaluationError: it is nested too deeply.
    """
    elements, longest = 0, 0
    parts = [value]
    for _ in range(_MAX_RESULT_DEPTH + 2):  # the innermost list has parts, too
        inner: list[object] = []
        for part in parts:
            if isinstance(part, str | bytes):
                longest = max(longest, len(part))
            elif isinstance(part, dict | list):
                elements = max(elements, len(part))
                inner += part
                if isinstance(part, dict):
                    inner += part.values()
        if not inner:
            return elements, longest
        parts = inner
    raise EvaluationError(f"a value is nested more than {_MAX_RESULT_DEPTH} levels deep")


def check_cost(expression: Expression, elements: int, longest: int) -> None:
    """Raise `EvaluationError` if the loops of *expression*, which is not evaluated, may take too many steps.

    It refers to lists and maps with up to *elements* elements, and to texts with up to *longest* characters.
    """
    depth = expression.syntax.loop_depth
    if not depth:
        return
    joined = elements * (1 + expression.syntax.additions)
    steps = int(max(joined, expression.source.count(",") + 1) ** depth)  # a literal list has as many commas
    steps *= 1 + longest // _TEXT_PER_STEP
    if expression.syntax.builds_list:
        steps *= 1 + joined // _COPIES_PER_STEP
    if steps > MAX_STEPS:
        raise EvaluationError(
            f"the loops of the expression may take {steps} steps, because a list or map may have {joined} elements and "
            f"a text {longest} characters; allowed: {MAX_STEPS}"
        )


def describe_value(value: object, most: int) -> str:
    """Return *value* as `format_value` does, a text in quotes."""
    return f'"{format_value(value, most)}"' if isinstance(value, str) else format_value(value, most)


def format_value(value: object, most: int) -> str:
    """Return *value* as text of at most *most* characters, for people."""
    match value:
        case bool():
            text = str(value).lower()
        case None:
            text = "null"
        case str():
            text = value
        case list():
            text = ", ".join(format_value(part, most) for part in value[:most])
        case datetime() | timedelta() | int() | float():
            text = str(value)
        case _:
            text = repr(value)
    text = "".join(character if character.isprintable() else " " for character in text[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"
