"""Reads what stands between braces: pipelines of commands of operands, and the variables they declare."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from extdns.sources.gotemplate import nodes
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.lexer import Sort, Token
from extdns.sources.gotemplate.literals import literal
from extdns.sources.gotemplate.reading import Reading

_MAX_DEPTH: Final = 50
_LITERALS: Final = frozenset({Sort.STRING, Sort.CHARACTER, Sort.NUMBER, Sort.BOOLEAN})
_ENDS: Final = frozenset({Sort.RIGHT, Sort.CLOSE, Sort.PIPE})
_ROOT: Final = "$"


class Pipelines:
    """Knows the variables that are in sight."""

    def __init__(self, read: Reading, functions: Collection[str]) -> None:
        """Read on from where *read* stands."""
        self._read = read
        self._functions = functions
        self._variables = [_ROOT]
        self._depth = 0

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Variables declared within are out of sight afterwards."""
        seen = len(self._variables)
        yield
        del self._variables[seen:]

    @contextmanager
    def fresh_scope(self) -> Iterator[None]:
        """As `scope`, and only `$` is in sight within."""
        outer, self._variables = self._variables, [_ROOT]
        yield
        self._variables = outer

    def read(self, where: str, end: Sort) -> nodes.Pipeline:
        """A pipeline and the *end* behind it; raises `TemplateError`."""
        first = self._read.after_spaces()
        self._read.back()
        variables, assigns = self._declared(where)
        commands: list[nodes.Command] = []
        while True:
            token = self._read.after_spaces()
            if token.sort is end:
                break
            if token.sort in {Sort.RIGHT, Sort.CLOSE, Sort.END, Sort.PIPE, Sort.COMMA, Sort.DECLARE, Sort.ASSIGN}:
                raise TemplateError(f"unexpected {token} in {where}", token.offset)
            self._read.back()
            commands.append(self._command(end))
        self._check(commands, where, first)
        return nodes.Pipeline(first.offset, tuple(commands), variables, assigns)

    def _check(self, commands: list[nodes.Command], where: str, first: Token) -> None:
        if not commands:
            raise TemplateError(f"{where} without a value", first.offset)
        for command in commands[1:]:
            if isinstance(command.operands[0], nodes.Literal | nodes.Dot | nodes.Nil):
                raise TemplateError('what follows "|" is no function', command.offset)

    def _declared(self, where: str) -> tuple[tuple[str, ...], bool]:
        """The variables before `:=` or `=`, which are in sight from here on, and whether it is `=`."""
        mark = self._read.mark()
        names: list[str] = []
        while (token := self._read.after_spaces()).sort is Sort.VARIABLE:
            names.append(token.text)
            then = self._read.after_spaces()
            if then.sort in {Sort.DECLARE, Sort.ASSIGN}:
                assigns = then.sort is Sort.ASSIGN
                self._variables += names
                return tuple(names), assigns
            if then.sort is not Sort.COMMA:
                break
            if where != "range" or len(names) > 1:
                raise TemplateError(f"too many variables in {where}", then.offset)
        self._read.rewind(mark)
        return (), False

    def _command(self, end: Sort) -> nodes.Command:
        offset = self._read.after_spaces().offset
        self._read.back()
        operands: list[nodes.Operand | nodes.Pipeline] = []
        while True:
            if operand := self._operand():
                operands.append(operand)
            token = self._read.next()
            if token.sort is Sort.SPACE:
                continue
            if token.sort not in _ENDS or (token.sort is not Sort.PIPE and token.sort is not end):
                raise TemplateError(f"unexpected {token}", token.offset)
            if token.sort is not Sort.PIPE:  # behind which nothing need follow, for Go
                self._read.back()
            break
        if not operands:
            raise TemplateError("a command is empty", offset)
        return nodes.Command(offset, tuple(operands))

    def _operand(self) -> nodes.Operand | nodes.Pipeline | None:
        """The next operand with the fields behind it, None if a space or an end comes first."""
        token = self._read.next()
        term = self._term(token)
        if term is None:
            self._read.back()
            return None
        names: list[str] = []
        while (field := self._read.next()).sort is Sort.FIELD:
            names.append(field.text[1:])
        self._read.back()
        if not names:
            return term
        match term:
            case nodes.Field():
                return nodes.Field(term.offset, (*term.names, *names))
            case nodes.Variable():
                return nodes.Variable(term.offset, term.name, (*term.names, *names))
            case nodes.Pipeline() | nodes.Function():
                return nodes.Chain(term.offset, term, tuple(names))
            case _:
                raise TemplateError(f"unexpected .{names[0]} after {token}", token.offset)

    def _term(self, token: Token) -> nodes.Operand | nodes.Pipeline | None:
        if token.sort in _LITERALS:
            return nodes.Literal(token.offset, literal(token))
        match token.sort:
            case Sort.FUNCTION:
                if token.text not in self._functions:
                    raise TemplateError(f"no function {token.text}", token.offset)
                return nodes.Function(token.offset, token.text)
            case Sort.DOT:
                return nodes.Dot(token.offset)
            case Sort.KEYWORD if token.text == "nil":
                return nodes.Nil(token.offset)
            case Sort.FIELD:
                return nodes.Field(token.offset, (token.text[1:],))
            case Sort.VARIABLE:
                self._require(token.text, token.offset)
                return nodes.Variable(token.offset, token.text, ())
            case Sort.OPEN:
                return self._parenthesis(token.offset)
            case _:
                return None

    def _parenthesis(self, offset: int) -> nodes.Pipeline:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TemplateError(f"nested too deeply; allowed: {_MAX_DEPTH} levels", offset)
        inner = self.read("parentheses", Sort.CLOSE)
        self._depth -= 1
        return inner

    def _require(self, name: str, offset: int) -> None:
        if name not in self._variables:
            raise TemplateError(f"no variable {name}", offset)
