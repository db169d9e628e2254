"""Check simple conditions without the evaluator (docs/design/rules.md, "What an evaluation costs").

CEL and Python share most of their syntax: operators with the same precedence, calls, lists and texts. So the few tokens
that differ are replaced, Python parses the condition, and each part becomes a function of the input. A condition with
arithmetic, `?:`, `has()`, escapes or mixed types has no quick check.

If a quick check returns True or False, so does the evaluator. If it raises an error, the evaluator decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import reduce
from inspect import signature
from operator import attrgetter, eq, ge, gt, le, lt, ne
from typing import Any, Final, NamedTuple

from extdns.cel.address_functions import ADDRESS_FUNCTIONS
from extdns.cel.functions import is_subdomain_of, list_labels
from extdns.cel.references import FIELDS, OPTIONAL, find_field
from extdns.cel.syntax import read_tokens
from extdns.rules.rule_input import RuleInput

Scope = tuple[Any, ...]
"""The input, and the values of the variables of the loops around a part of a condition, the outermost first."""

QuickCheck = Callable[[Scope], Any]
"""A condition or a part of it, as a function of its scope. It may raise any exception."""

_Loops = tuple[str, ...]
"""The variables of the loops around a part of a condition, the outermost first."""

_KINDS: Final = {
    "ttl": "int",
    "private": "bool",
    "ours": "bool",
    "owner": "str | None",
    "targets": "list[str]",
    "properties": "dict[str, str]",
    "annotations": "dict[str, str]",
}
"""The kinds of fields that are not texts. A kind is written as in the annotation of a function."""

_KEYS: Final = {"list[str]": int, "dict[str, str]": str}
"""The kinds that have elements, which are texts, and the type of their keys."""

_REPLACED: Final = {"&&": "and", "||": "or", "!": "~", "true": "True", "false": "False", "null": "None"}
_TEXT: Final = re.compile(r"""(['"])(?:[^'"\\\x00-\x1f]|\\\\)*\1""")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")

_EQUALITY: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {ast.Eq: eq, ast.NotEq: ne}
_ORDER: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: lt,
    ast.LtE: le,
    ast.Gt: gt,
    ast.GtE: ge,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **ADDRESS_FUNCTIONS,
    "isSubdomainOf": is_subdomain_of,
    "labels": list_labels,
}
_TEXT_METHODS: Final = {"startsWith": str.startswith, "endsWith": str.endswith, "contains": str.__contains__}

_ATOM: Final = r"(?:[A-Za-z0-9_-]|\\\.|\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.])+-?\])"
_LINEAR: Final = re.compile(rf"(?:\^{_ATOM}*(?:{_ATOM}[*+])?{_ATOM}*|{_ATOM}*)\$?")
"""Regular expressions that Python matches in linear time: each repeats at most one part."""


class _Operand(NamedTuple):
    """A part of a condition: the type of its value (`kind`), and a function that returns the value."""

    kind: str
    get: QuickCheck


def compile_quick_check(source: str) -> QuickCheck | None:
    """Return the quick check of the condition *source*, which is valid; None if it has none.

    Its scope is `(item,)`.
    """
    tokens = []
    for group, text in read_tokens(source):
        if (group == "text" and not _TEXT.fullmatch(text)) or (group == "number" and not _NUMBER.fullmatch(text)):
            return None
        tokens.append(_REPLACED.get(text, text))
    try:
        return _require("bool", _compile(ast.parse(" ".join(tokens), mode="eval").body, ()))
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError, re.error):
        return None


def _compile(node: ast.expr, loops: _Loops) -> _Operand:
    """Compile *node* in loops with the variables *loops*. Raises `ValueError` or `LookupError` if it is too complex."""
    match node:
        case ast.Constant(value=bool() | int() | str() as value):
            return _Operand(type(value).__name__, lambda _: value)
        case ast.Name(id=name) if name in loops:
            at = len(loops) - loops[::-1].index(name)  # of the innermost loop with this variable
            return _Operand("str", lambda scope: scope[at])
        case ast.Name() | ast.Attribute():
            return _compile_field(_list_names(node, loops))
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            return _compile_element(_compile(value, loops), key)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            get = _require("bool", _compile(operand, loops))
            return _Operand("bool", lambda scope: not get(scope))
        case ast.BoolOp(op=op, values=values):
            gets = [_require("bool", _compile(value, loops)) for value in values]
            return _Operand("bool", reduce(_join_and if isinstance(op, ast.And) else _join_or, gets))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = (_require("str", _compile(one, loops)) for one in (left, right))
            return _Operand("str", lambda scope: first(scope) + second(scope))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _Operand("bool", _compile_comparison(left, op, right, loops))
        case ast.Call(func=function, args=arguments):
            return _compile_call(function, arguments, loops)
        case _:
            raise ValueError(node)


def _require(kind: str, part: _Operand) -> QuickCheck:
    """Return the function of *part*. Raises `ValueError` if its value is not of type *kind*."""
    if part.kind != kind:
        raise ValueError(part)
    return part.get


def _join_and(first: QuickCheck, second: QuickCheck) -> QuickCheck:
    return lambda scope: first(scope) and second(scope)


def _join_or(first: QuickCheck, second: QuickCheck) -> QuickCheck:
    return lambda scope: first(scope) or second(scope)


def _list_names(node: ast.expr, loops: _Loops) -> tuple[str, ...]:
    """Return the variable of the document that *node* names, and the fields that it selects."""
    match node:
        case ast.Name(id=name) if name not in loops:
            return (name,)
        case ast.Attribute(value=value, attr=name):
            return (*_list_names(value, loops), name)
        case _:
            raise ValueError(node)


def _compile_field(names: tuple[str, ...]) -> _Operand:
    """Compile the selection of a field, or of an entry of a field that is a map."""
    fields, depth = FIELDS, 1
    while (found := fields[names[depth - 1]]) is not None:
        fields, depth = found, depth + 1
        if depth > len(names):
            raise ValueError(names)  # a variable with fields
    path, keys = names[:depth], names[depth:]
    if path[-1] == "labels":
        kind = "list[str]" if "record" in path else "dict[str, str]"
    else:
        kind = _KINDS.get(path[-1], "str")
    return reduce(_compile_element, keys, _Operand(kind, _compile_getter(path)))


def _compile_getter(path: tuple[str, ...]) -> QuickCheck:
    """Return a function that returns the value of the field at *path* as the document has it."""
    attribute, convert, _ = find_field(path)
    find: Callable[[RuleInput], Any] = attrgetter(attribute)
    if path[0] in OPTIONAL and not attribute.startswith(path[0]):  # the zone of the current record is that of the input
        find = _require_variable(path[0], find)
    return (lambda scope: convert(find(scope[0]))) if convert else (lambda scope: find(scope[0]))


def _require_variable(variable: str, find: Callable[[RuleInput], Any]) -> Callable[[RuleInput], Any]:
    """Return *find*, but the function raises `LookupError` if *variable* is null."""

    def find_if_known(item: RuleInput) -> object:
        if getattr(item, variable) is None:
            raise LookupError(variable)
        return find(item)

    return find_if_known


def _compile_element(part: _Operand, key: object) -> _Operand:
    """Compile the selection of the element *key* of *part*."""
    if type(key) is not _KEYS[part.kind]:
        raise ValueError(key)
    get = part.get
    return _Operand("str", lambda scope: get(scope)[key])


def _compile_comparison(left: ast.expr, op: ast.cmpop, right: ast.expr, loops: _Loops) -> QuickCheck:
    match left, op, right:
        case ast.Name(id=name), ast.Eq() | ast.NotEq(), ast.Constant(value=None) if (
            name in OPTIONAL and name not in loops
        ):
            find, expected = attrgetter(name), isinstance(op, ast.Eq)
            return lambda scope: (find(scope[0]) is None) is expected
        case _, ast.In(), _:
            get, list_elements = _require("str", _compile(left, loops)), _compile_elements(right, loops)
            return lambda scope: get(scope) in list_elements(scope)
        case _:
            kind, first = _compile(left, loops)
            second = _require(kind, _compile(right, loops))
            compare = _ORDER[type(op)] if kind == "int" and type(op) in _ORDER else _EQUALITY[type(op)]
            if kind not in {"str", "int", "bool"}:
                raise ValueError(kind)
            return lambda scope: compare(first(scope), second(scope))


def _compile_elements(node: ast.expr, loops: _Loops) -> QuickCheck:
    """Compile a list of literal texts, or a part that has elements."""
    if isinstance(node, ast.List):
        texts = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if len(texts) < len(node.elts):
            raise ValueError(node)
        return lambda _: texts
    kind, get = _compile(node, loops)
    if kind not in _KEYS:
        raise ValueError(kind)
    return get


def _compile_call(function: ast.expr, arguments: list[ast.expr], loops: _Loops) -> _Operand:
    match function:
        case ast.Name(id=name):
            return _compile_function(name, [_compile(one, loops) for one in arguments])
        case ast.Attribute(value=value, attr=name):
            kind, get = _compile(value, loops)
        case _:
            raise ValueError(function)
    match name, arguments:
        case "all" | "exists", [ast.Name(id=variable), condition] if kind in _KEYS:
            check = _require("bool", _compile(condition, (*loops, variable)))
            return _Operand("bool", _build_loop(get, check, is_all=name == "all"))
        case "matches", [ast.Constant(value=str(pattern))] if kind == "str" and _LINEAR.fullmatch(pattern):
            search = re.compile(re.sub(r"\$$", r"\\Z", pattern)).search
            return _Operand("bool", lambda scope: search(get(scope)) is not None)
        case "startsWith" | "endsWith" | "contains", [argument]:
            method, text = _TEXT_METHODS[name], _require("str", _compile(argument, loops))
            _require("str", _Operand(kind, get))
            return _Operand("bool", lambda scope: method(get(scope), text(scope)))
        case _:
            return _compile_function(name, [_Operand(kind, get), *(_compile(one, loops) for one in arguments)])


def _compile_function(name: str, arguments: list[_Operand]) -> _Operand:
    """Compile a call of the function *name*, which needs *arguments* of the types that it declares."""
    first = arguments[0].get
    if name == "size" and len(arguments) == 1 and arguments[0].kind in _KEYS:
        return _Operand("int", lambda scope: len(first(scope)))
    call: Callable[..., Any] = _FUNCTIONS[name]
    declared = signature(call)
    if [one.kind for one in arguments] != [one.annotation for one in declared.parameters.values()]:
        raise ValueError(name)
    if len(arguments) == 1:
        return _Operand(declared.return_annotation, lambda scope: call(first(scope)))
    second = arguments[1].get
    return _Operand(declared.return_annotation, lambda scope: call(first(scope), second(scope)))


def _build_loop(get: QuickCheck, check: QuickCheck, *, is_all: bool) -> QuickCheck:
    """Return a function that returns whether *check* is true of all elements of *get*, or else of one of them."""

    def run(scope: Scope) -> bool:
        for one in get(scope):
            if check((*scope, one)) is not is_all:
                return not is_all
        return is_all

    return run
