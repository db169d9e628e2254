"""What the source of an expression shows before it is evaluated: names, fields, calls and loops.

The evaluator parses an expression completely, but does not check types. This module reads the tokens of an expression
that the evaluator has parsed, so it need not find errors of syntax itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from extdns.model.value import Value

_TOKEN: Final = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*)
    |(?P<text>
        (?:[rR][bB]?|[bB][rR])(?:'''.*?'''|\"""[\s\S]*?\"""|'[^'\n]*'|"[^"\n]*")
        |[bB]?(?:'''(?:\\.|[^\\])*?'''|\"""(?:\\.|[^\\])*?\"""|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")
    )
    |(?P<number>(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)[uU]?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<symbol>&&|\|\||[<>=!]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)

LOOPS: Final = frozenset({"all", "exists", "exists_one", "filter", "map"})
"""The macros that evaluate their last argument for each element of a list or key of a map."""

BUILDERS: Final = frozenset({"filter", "map"})
"""The loops that build a list. The evaluator copies it for each element."""

_LITERALS: Final = frozenset({"true", "false", "null", "in"})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_SEPARATORS: Final = frozenset({"", "&&", "||", "?", ":", ","})  # "" is the start or the end
_BEFORE_OPERAND: Final = _SEPARATORS | _OPENING
_AFTER_OPERAND: Final = _SEPARATORS | _CLOSING
_PLAIN_TEXT: Final = re.compile(r"""(['"])([^'"\\]+)\1""")


class SourceToken(NamedTuple):
    """A token: the name of its group in the pattern, and its source."""

    group: str
    source: str


class FunctionCall(Value, frozen=True, order=True):
    """A call of a function.

    Attributes:
        name: the function, with the names before its dots if they are not variables, as `ip.isCanonical`.
        arguments: the number of arguments, counting the value before the dot.
    """

    name: str
    arguments: int


class FieldPath(Value, frozen=True, order=True):
    """Fields that are selected one after the other, as `record.name`, from a variable that no loop declares.

    Attributes:
        names: the variable and the fields. A key that is selected with brackets or tested with `in` is one of them.
        is_null_test: whether only `== null` or `!= null` is applied to the last of *names*.
    """

    names: tuple[str, ...]
    is_null_test: bool = False


class ExpressionSyntax(Value, frozen=True, kw_only=True):
    """What the tokens of an expression show.

    Attributes:
        paths: the variables, with the fields selected from them; names of functions and methods are left out.
        calls: the functions called, without loops and `has`.
        texts: the string literals, without quotes; escapes are not replaced.
        loop_depth: how many loops are nested; 0 without loops.
        builds_list: whether a loop builds a list.
        additions: how many + it has; each may join two lists.
    """

    paths: tuple[FieldPath, ...]
    calls: tuple[FunctionCall, ...]
    texts: tuple[str, ...]
    loop_depth: int
    builds_list: bool
    additions: int

    @property
    def variables(self) -> frozenset[str]:
        """The variables that the expression refers to."""
        return frozenset(path.names[0] for path in self.paths)


def read_syntax(source: str, namespaces: frozenset[str] = frozenset()) -> ExpressionSyntax:
    """Read the tokens of *source*. Names in *namespaces* before a call belong to the name of the function."""
    return _SyntaxReader(read_tokens(source), namespaces).read()


def read_tokens(source: str) -> list[SourceToken]:
    """Return the tokens of *source* without blanks and comments."""
    found = (match for match in _TOKEN.finditer(source) if match.lastgroup != "blank")
    return [SourceToken(str(match.lastgroup), match[0]) for match in found]


def rename_variable(source: str, old: str, new: str) -> str:
    """Return *source* with *new* for the variable *old*. Fields of that name and texts stay as they are."""
    parts: list[str] = []
    before = ""
    for found in _TOKEN.finditer(source):
        parts.append(new if found.lastgroup == "name" and found[0] == old and before != "." else found[0])
        before = before if found.lastgroup == "blank" else found[0]
    return "".join(parts)


class _Bracket(NamedTuple):
    """An open bracket, and the variable that the loop in it declares, "" if there is no loop."""

    is_loop: bool
    variable: str = ""


class _SyntaxReader:
    """Reads the tokens of one expression."""

    def __init__(self, tokens: list[SourceToken], namespaces: frozenset[str]) -> None:
        self._tokens = tokens
        self._namespaces = namespaces
        self._brackets: list[_Bracket] = []
        self._paths: set[FieldPath] = set()
        self._calls: set[FunctionCall] = set()
        self._loop_depth = 0
        self._builds_list = False

    def read(self) -> ExpressionSyntax:
        at = 0
        while at < len(self._tokens):
            group, source = self._tokens[at]
            if group == "name" and source not in _LITERALS and not self._is_dot(at - 1):
                at = self._read_path(at)
                continue
            if group == "name" and self._is_dot(at - 1) and self._find_source(at + 1) == "(":
                self._open_call(at, source, is_method=True)
                at += 1
            elif source in _OPENING and group == "symbol":
                self._brackets.append(_Bracket(is_loop=False))
            elif source in _CLOSING and group == "symbol" and self._brackets:
                self._brackets.pop()
            at += 1
        texts = (token.source.lstrip("bBrR").strip("'\"") for token in self._tokens if token.group == "text")
        return ExpressionSyntax(
            paths=tuple(sorted(self._paths)),
            calls=tuple(sorted(self._calls)),
            texts=tuple(texts),
            loop_depth=self._loop_depth,
            builds_list=self._builds_list,
            additions=sum(token == ("symbol", "+") for token in self._tokens),
        )

    def _read_path(self, at: int) -> int:
        """Read the name at *at* with the fields and the call behind it. Return the position behind them."""
        first = at
        names = [self._tokens[at].source]
        while self._is_dot(at + 1) and self._find_group(at + 2) == "name":
            at += 2
            names.append(self._tokens[at].source)
        if self._find_source(at + 1) != "(":
            self._add_path(names + self._find_key(first, at), is_null_test=self._is_null_test(first, at))
            return at + 1
        is_function = names[0] in self._namespaces and names[0] not in self._list_loop_variables()
        is_method = len(names) > 1 and not is_function
        if is_method:
            self._add_path(names[:-1])
        name = names[-1] if is_method else ".".join(names)
        self._open_call(at, name, is_method=is_method, is_global=first == at)
        return at + 2

    def _find_key(self, first: int, last: int) -> list[str]:
        """Return the one key that the expression reads of the map at the path between *first* and *last*.

        The key is in brackets behind the path, or before `in` and the path. Return [] if it is not a plain text there.
        """
        if self._find_source(last + 1) == "[" and self._find_source(last + 3) == "]":
            found = _PLAIN_TEXT.fullmatch(self._find_source(last + 2))
        elif self._find_source(first - 1) == "in" and self._is_operand(first - 2, last):
            found = _PLAIN_TEXT.fullmatch(self._find_source(first - 2))
        else:
            found = None
        return [found[2]] if found else []

    def _is_null_test(self, first: int, last: int) -> bool:
        """Return whether the path between *first* and *last* is compared with null, and nothing else."""
        comparisons = ("==", "!=")
        if self._find_source(last + 1) in comparisons and self._find_source(last + 2) == "null":
            return self._is_operand(first, last + 2)
        follows_null = self._find_source(first - 1) in comparisons and self._find_source(first - 2) == "null"
        return follows_null and self._is_operand(first - 2, last)

    def _is_operand(self, first: int, last: int) -> bool:
        """Return whether no operator but a logical one is applied to what is between *first* and *last*."""
        return self._find_source(first - 1) in _BEFORE_OPERAND and self._find_source(last + 1) in _AFTER_OPERAND

    def _open_call(self, at: int, name: str, *, is_method: bool, is_global: bool = False) -> None:
        if is_method and name in LOOPS and self._find_group(at + 2) == "name" and self._find_source(at + 3) == ",":
            self._brackets.append(_Bracket(is_loop=True, variable=self._tokens[at + 2].source))
            self._builds_list |= name in BUILDERS
            self._loop_depth = max(self._loop_depth, sum(bracket.is_loop for bracket in self._brackets))
            return
        self._brackets.append(_Bracket(is_loop=False))
        if not (name == "has" and is_global):
            self._calls.add(FunctionCall(name, self._count_arguments(at + 2) + is_method))

    def _count_arguments(self, at: int) -> int:
        """Return the number of arguments between the bracket before *at* and the one that closes it."""
        depth = commas = 0
        for position in range(at, len(self._tokens)):
            group, source = self._tokens[position]
            if group != "symbol":
                continue
            if source in _CLOSING:
                if depth == 0:
                    return commas + 1 if position > at else 0
                depth -= 1
            depth += source in _OPENING
            commas += source == "," and depth == 0
        return commas + 1

    def _add_path(self, names: list[str], *, is_null_test: bool = False) -> None:
        if names[0] not in self._list_loop_variables():
            self._paths.add(FieldPath(tuple(names), is_null_test))

    def _list_loop_variables(self) -> Iterator[str]:
        return (bracket.variable for bracket in self._brackets if bracket.variable)

    def _is_dot(self, at: int) -> bool:
        return self._find_source(at) == "." and self._find_group(at) == "symbol"

    def _find_source(self, at: int) -> str:
        return self._tokens[at].source if 0 <= at < len(self._tokens) else ""

    def _find_group(self, at: int) -> str:
        return self._tokens[at].group if 0 <= at < len(self._tokens) else ""
