"""Parse a template into a tree: statements, and the pipelines between braces."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from extdns.errors import find_similar
from extdns.gotemplate import nodes
from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.lexer import Token, TokenKind, TokenStream, parse_literal, tokenize

_MAX_PARENTHESIS_DEPTH: Final = 50
_LITERALS: Final = frozenset({TokenKind.STRING, TokenKind.CHARACTER, TokenKind.NUMBER, TokenKind.BOOLEAN})
_COMMAND_ENDS: Final = frozenset({TokenKind.RIGHT, TokenKind.CLOSE, TokenKind.PIPE})
_ROOT: Final = "$"


class PipelineParser:
    """Parse pipelines, commands and operands, and track the variables in scope."""

    def __init__(self, tokens: TokenStream, functions: Collection[str]) -> None:
        """Parse from the position of *tokens* on. Only *functions* may be called."""
        self._tokens = tokens
        self._functions = functions
        self._variables = [_ROOT]
        self._depth = 0

    @contextmanager
    def open_scope(self) -> Iterator[None]:
        """Open a scope for the `with` block. Variables declared in the block are dropped at its end."""
        seen = len(self._variables)
        yield
        del self._variables[seen:]

    @contextmanager
    def open_empty_scope(self) -> Iterator[None]:
        """Open a scope for the `with` block in which `$` is the only variable."""
        outer, self._variables = self._variables, [_ROOT]
        yield
        self._variables = outer

    def parse_pipeline(self, where: str, end: TokenKind) -> nodes.PipelineNode:
        """Parse a pipeline and the *end* after it.

        Raises:
            TemplateError: a syntax error. The message names *where*, such as `range`.
        """
        first = self._tokens.read_after_spaces()
        self._tokens.step_back()
        variables, assigns = self._parse_declaration(where)
        commands: list[nodes.CommandNode] = []
        while True:
            token = self._tokens.read_after_spaces()
            if token.kind is end:
                break
            if token.kind in {
                TokenKind.RIGHT,
                TokenKind.CLOSE,
                TokenKind.END,
                TokenKind.PIPE,
                TokenKind.COMMA,
                TokenKind.DECLARE,
                TokenKind.ASSIGN,
            }:
                raise TemplateError(f"unexpected {token} in {where}", token.offset)
            self._tokens.step_back()
            commands.append(self._parse_command(end))
        self._check_commands(commands, where, first)
        return nodes.PipelineNode(first.offset, tuple(commands), variables, assigns)

    def _check_commands(self, commands: list[nodes.CommandNode], where: str, first: Token) -> None:
        if not commands:
            raise TemplateError(f"{where} without a value", first.offset)
        for command in commands[1:]:
            if isinstance(command.operands[0], nodes.LiteralNode | nodes.DotNode | nodes.NilNode):
                raise TemplateError('expected a function or method after "|"', command.offset)

    def _parse_declaration(self, where: str) -> tuple[tuple[str, ...], bool]:
        """Parse `$a, $b :=` or `=` and add the variables to the scope. Return their names, and whether it is `=`."""
        position = self._tokens.at
        names: list[str] = []
        while (token := self._tokens.read_after_spaces()).kind is TokenKind.VARIABLE:
            names.append(token.text)
            then = self._tokens.read_after_spaces()
            if then.kind in {TokenKind.DECLARE, TokenKind.ASSIGN}:
                assigns = then.kind is TokenKind.ASSIGN
                self._variables += names
                return tuple(names), assigns
            if then.kind is not TokenKind.COMMA:
                break
            if where != "range" or len(names) > 1:
                raise TemplateError(f"too many variables in {where}", then.offset)
        self._tokens.at = position
        return (), False

    def _parse_command(self, end: TokenKind) -> nodes.CommandNode:
        offset = self._tokens.read_after_spaces().offset
        self._tokens.step_back()
        operands: list[nodes.Operand | nodes.PipelineNode] = []
        while True:
            if operand := self._parse_operand():
                operands.append(operand)
            token = self._tokens.read()
            if token.kind is TokenKind.SPACE:
                continue
            if token.kind not in _COMMAND_ENDS or (token.kind is not TokenKind.PIPE and token.kind is not end):
                raise TemplateError(f"unexpected {token}", token.offset)
            if token.kind is not TokenKind.PIPE:  # Go accepts a pipe with nothing after it
                self._tokens.step_back()
            break
        if not operands:
            raise TemplateError("a command is empty", offset)
        return nodes.CommandNode(offset, tuple(operands))

    def _parse_operand(self) -> nodes.Operand | nodes.PipelineNode | None:
        """Parse an operand and the fields that follow it. Return None if a space or an end comes first."""
        token = self._tokens.read()
        term = self._parse_term(token)
        if term is None:
            self._tokens.step_back()
            return None
        names: list[str] = []
        while (field := self._tokens.read()).kind is TokenKind.FIELD:
            names.append(field.text[1:])
        self._tokens.step_back()
        if not names:
            return term
        match term:
            case nodes.FieldNode():
                return nodes.FieldNode(term.offset, (*term.names, *names))
            case nodes.VariableNode():
                return nodes.VariableNode(term.offset, term.name, (*term.names, *names))
            case nodes.PipelineNode() | nodes.FunctionNode():
                return nodes.ChainNode(term.offset, term, tuple(names))
            case _:
                raise TemplateError(f"unexpected .{names[0]} after {token}", token.offset)

    def _parse_term(self, token: Token) -> nodes.Operand | nodes.PipelineNode | None:
        if token.kind in _LITERALS:
            return nodes.LiteralNode(token.offset, parse_literal(token))
        match token.kind:
            case TokenKind.FUNCTION:
                if token.text not in self._functions:
                    near = find_similar(token.text, sorted(self._functions))
                    advice = f"; did you mean: {near}" if near else ""
                    raise TemplateError(f"no function {token.text}{advice}", token.offset)
                return nodes.FunctionNode(token.offset, token.text)
            case TokenKind.DOT:
                return nodes.DotNode(token.offset)
            case TokenKind.KEYWORD if token.text == "nil":
                return nodes.NilNode(token.offset)
            case TokenKind.FIELD:
                return nodes.FieldNode(token.offset, (token.text[1:],))
            case TokenKind.VARIABLE:
                self._require_variable(token.text, token.offset)
                return nodes.VariableNode(token.offset, token.text, ())
            case TokenKind.OPEN:
                return self._parse_parentheses(token.offset)
            case _:
                return None

    def _parse_parentheses(self, offset: int) -> nodes.PipelineNode:
        self._depth += 1
        if self._depth > _MAX_PARENTHESIS_DEPTH:
            raise TemplateError(f"parentheses are nested too deeply; allowed: {_MAX_PARENTHESIS_DEPTH} levels", offset)
        inner = self.parse_pipeline("parentheses", TokenKind.CLOSE)
        self._depth -= 1
        return inner

    def _require_variable(self, name: str, offset: int) -> None:
        if name not in self._variables:
            raise TemplateError(f"no variable {name}", offset)


_MAX_BLOCK_DEPTH: Final = 50
_BLOCK_ENDS: Final = frozenset({"end", "else"})


def parse_template(text: str, functions: Collection[str]) -> nodes.TemplateTree:
    """Parse *text*, in which only *functions* may be called.

    Raises:
        TemplateError: a syntax error, with its offset.
    """
    return _TemplateParser(text, functions).parse_tree()


class _TemplateParser:
    """Parse statements; `PipelineParser` parses what is between braces."""

    def __init__(self, text: str, functions: Collection[str]) -> None:
        self._tokens = TokenStream(tokenize(text))
        self._pipelines = PipelineParser(self._tokens, functions)
        self._definitions: dict[str, nodes.Block] = {}
        self._depth = 0
        self._range_depth = 0

    def parse_tree(self) -> nodes.TemplateTree:
        main, end = self._parse_block(top=True)
        if end:
            raise TemplateError(f"unexpected {{{{{end}}}}}", self._tokens.last_token.offset)
        return nodes.TemplateTree(main, self._definitions)

    def _parse_block(self, *, top: bool = False) -> tuple[nodes.Block, str]:
        """Parse statements up to `{{end}}`, `{{else` or the end of the text. Return them and "end", "else" or ""."""
        self._depth += 1
        if self._depth > _MAX_BLOCK_DEPTH:
            raise TemplateError(
                f"blocks are nested too deeply; allowed: {_MAX_BLOCK_DEPTH} levels", self._tokens.last_token.offset
            )
        found: list[nodes.Node] = []
        end = ""
        while not end:
            token = self._tokens.read()
            if token.kind is TokenKind.END:
                break
            if token.kind is TokenKind.TEXT:
                found.append(nodes.TextNode(token.offset, token.text))
                continue
            word = self._tokens.read_after_spaces()
            if word.kind is TokenKind.KEYWORD and word.text in _BLOCK_ENDS:
                end = word.text
            elif word.kind is TokenKind.KEYWORD and word.text == "define":
                self._parse_define(word.offset, allowed=top)
            else:
                self._tokens.step_back()
                found.append(self._parse_statement())
        self._depth -= 1
        return tuple(found), end

    def _parse_statement(self) -> nodes.Node:
        word = self._tokens.read_after_spaces()
        if word.kind is TokenKind.KEYWORD and word.text != "nil":
            match word.text:
                case "if" | "with":
                    return self._parse_condition(word.text, word.offset)
                case "range":
                    return self._parse_range(word.offset)
                case "template":
                    return self._parse_include(word.offset)
                case "block":
                    return self._parse_inline_block(word.offset)
                case _:
                    return self._parse_jump(word.text, word.offset)
        self._tokens.step_back()
        return nodes.ActionNode(word.offset, self._pipelines.parse_pipeline("an action", TokenKind.RIGHT))

    def _parse_condition(self, word: str, offset: int) -> nodes.IfNode:
        with self._pipelines.open_scope():
            pipeline = self._pipelines.parse_pipeline(word, TokenKind.RIGHT)
            then, end = self._parse_block()
            else_block = self._parse_else(word, offset, end)
        return nodes.IfNode(offset, pipeline, then, else_block, word == "with")

    def _parse_range(self, offset: int) -> nodes.RangeNode:
        with self._pipelines.open_scope():
            pipeline = self._pipelines.parse_pipeline("range", TokenKind.RIGHT)
            self._range_depth += 1
            body, end = self._parse_block()
            self._range_depth -= 1
            else_block = self._parse_else("range", offset, end)
        return nodes.RangeNode(offset, pipeline, body, else_block)

    def _parse_else(self, word: str, offset: int, end: str) -> nodes.Block:
        """Parse the block after `{{else`; return () if *end* is "end"."""
        if not end:
            raise TemplateError(f"{{{{{word}}}}} without {{{{end}}}}", offset)
        if end == "end":
            self._tokens.expect_right("end")
            return ()
        again = self._tokens.read_after_spaces()
        if again.kind is TokenKind.KEYWORD and again.text == word and word != "range":
            self._depth += 1
            if self._depth > _MAX_BLOCK_DEPTH:
                raise TemplateError(f"blocks are nested too deeply; allowed: {_MAX_BLOCK_DEPTH} levels", again.offset)
            nested = self._parse_condition(word, again.offset)
            self._depth -= 1
            return (nested,)
        self._tokens.step_back()
        self._tokens.expect_right("else")
        else_block, end = self._parse_block()
        if end != "end":
            where = self._tokens.last_token.offset if end else offset
            raise TemplateError("unexpected {{else}}" if end else f"{{{{{word}}}}} without {{{{end}}}}", where)
        self._tokens.expect_right("end")
        return else_block

    def _parse_jump(self, word: str, offset: int) -> nodes.JumpNode:
        if word not in {"break", "continue"}:
            raise TemplateError(f"unexpected {{{{{word}}}}}", offset)
        self._tokens.expect_right(word)
        if not self._range_depth:
            raise TemplateError(f"{{{{{word}}}}} outside {{{{range}}}}", offset)
        return nodes.JumpNode(offset, word == "continue")

    def _parse_include(self, offset: int) -> nodes.IncludeNode:
        name = self._tokens.expect_string("template")
        pipeline = None
        if self._tokens.read_after_spaces().kind is not TokenKind.RIGHT:
            self._tokens.step_back()
            pipeline = self._pipelines.parse_pipeline("template", TokenKind.RIGHT)
        return nodes.IncludeNode(offset, name, pipeline)

    def _parse_inline_block(self, offset: int) -> nodes.IncludeNode:
        name = self._tokens.expect_string("block")
        pipeline = self._pipelines.parse_pipeline("block", TokenKind.RIGHT)
        self._parse_definition(name, offset, "block")
        return nodes.IncludeNode(offset, name, pipeline)

    def _parse_define(self, offset: int, *, allowed: bool) -> None:
        if not allowed:
            raise TemplateError("unexpected {{define}}; allowed: only outside of other blocks", offset)
        name = self._tokens.expect_string("define")
        self._tokens.expect_right("define")
        self._parse_definition(name, offset, "define")

    def _parse_definition(self, name: str, offset: int, word: str) -> None:
        """Parse the body of the template *name*, which cannot use outer variables.

        If the template was defined before, an empty body changes nothing, and an empty template gets the new body.
        """
        ranges, self._range_depth = self._range_depth, 0
        with self._pipelines.open_empty_scope():
            body, end = self._parse_block(top=False)
        self._range_depth = ranges
        if end != "end":
            raise TemplateError(f"{{{{{word}}}}} without {{{{end}}}}", offset)
        self._tokens.expect_right("end")
        if _is_empty(self._definitions.get(name, ())):
            self._definitions[name] = body
        elif not _is_empty(body):
            raise TemplateError(f'a template "{name}" is defined twice', offset)


def _is_empty(body: nodes.Block) -> bool:
    return all(isinstance(node, nodes.TextNode) and not node.text.strip(" \t\r\n") for node in body)
