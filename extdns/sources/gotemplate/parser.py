"""Makes a tree of a template."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from extdns.sources.gotemplate import nodes
from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.lexer import Sort, tokens
from extdns.sources.gotemplate.pipelines import Pipelines
from extdns.sources.gotemplate.reading import Reading

_MAX_DEPTH: Final = 50
_ENDS: Final = frozenset({"end", "else"})


def parse(text: str, functions: Collection[str]) -> nodes.Tree:
    """The tree of *text*, in which only *functions* may be called.

    Raises:
        TemplateError: it is no template, with the offset of the mistake.
    """
    parser = _Parser(text, functions)
    return parser.tree()


class _Parser:
    """Reads statements; what stands between braces is read by `Pipelines`."""

    def __init__(self, text: str, functions: Collection[str]) -> None:
        self._read = Reading(tokens(text))
        self._pipelines = Pipelines(self._read, functions)
        self._defined: dict[str, nodes.Block] = {}
        self._depth = 0
        self._ranges = 0

    def tree(self) -> nodes.Tree:
        main, end = self._block(top=True)
        if end:
            raise TemplateError(f"unexpected {{{{{end}}}}}", self._read.last.offset)
        return nodes.Tree(main, self._defined)

    def _block(self, *, top: bool = False) -> tuple[nodes.Block, str]:
        """Statements up to `{{end}}`, `{{else` or the end of the text, and which of these it is."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TemplateError(f"nested too deeply; allowed: {_MAX_DEPTH} levels", self._read.last.offset)
        found: list[nodes.Node] = []
        end = ""
        while not end:
            token = self._read.next()
            if token.sort is Sort.END:
                break
            if token.sort is Sort.TEXT:
                found.append(nodes.Text(token.offset, token.text))
                continue
            word = self._read.after_spaces()
            if word.sort is Sort.KEYWORD and word.text in _ENDS:
                end = word.text
            elif word.sort is Sort.KEYWORD and word.text == "define":
                self._define(word.offset, allowed=top)
            else:
                self._read.back()
                found.append(self._statement())
        self._depth -= 1
        return tuple(found), end

    def _statement(self) -> nodes.Node:
        word = self._read.after_spaces()
        if word.sort is Sort.KEYWORD and word.text != "nil":
            match word.text:
                case "if" | "with":
                    return self._condition(word.text, word.offset)
                case "range":
                    return self._range(word.offset)
                case "template":
                    return self._include(word.offset)
                case "block":
                    return self._inline(word.offset)
                case _:
                    return self._leap(word.text, word.offset)
        self._read.back()
        return nodes.Action(word.offset, self._pipelines.read("an action", Sort.RIGHT))

    def _condition(self, word: str, offset: int) -> nodes.If:
        with self._pipelines.scope():
            pipeline = self._pipelines.read(word, Sort.RIGHT)
            then, end = self._block()
            otherwise = self._otherwise(word, offset, end)
        return nodes.If(offset, pipeline, then, otherwise, word == "with")

    def _range(self, offset: int) -> nodes.Range:
        with self._pipelines.scope():
            pipeline = self._pipelines.read("range", Sort.RIGHT)
            self._ranges += 1
            body, end = self._block()
            self._ranges -= 1
            otherwise = self._otherwise("range", offset, end)
        return nodes.Range(offset, pipeline, body, otherwise)

    def _otherwise(self, word: str, offset: int, end: str) -> nodes.Block:
        """What follows `{{else`, or nothing where *end* was `{{end}}`."""
        if not end:
            raise TemplateError(f"{{{{{word}}}}} without {{{{end}}}}", offset)
        if end == "end":
            self._read.expect(Sort.RIGHT, "end")
            return ()
        again = self._read.after_spaces()
        if again.sort is Sort.KEYWORD and again.text == word and word != "range":
            self._depth += 1
            if self._depth > _MAX_DEPTH:
                raise TemplateError(f"nested too deeply; allowed: {_MAX_DEPTH} levels", again.offset)
            nested = self._condition(word, again.offset)
            self._depth -= 1
            return (nested,)
        self._read.back()
        self._read.expect(Sort.RIGHT, "else")
        otherwise, end = self._block()
        if end != "end":
            where = self._read.last.offset if end else offset
            raise TemplateError("unexpected {{else}}" if end else f"{{{{{word}}}}} without {{{{end}}}}", where)
        self._read.expect(Sort.RIGHT, "end")
        return otherwise

    def _leap(self, word: str, offset: int) -> nodes.Leap:
        if word not in {"break", "continue"}:
            raise TemplateError(f"unexpected {{{{{word}}}}}", offset)
        self._read.expect(Sort.RIGHT, word)
        if not self._ranges:
            raise TemplateError(f"{{{{{word}}}}} outside {{{{range}}}}", offset)
        return nodes.Leap(offset, word == "continue")

    def _include(self, offset: int) -> nodes.Include:
        name = self._read.quoted("template")
        pipeline = None
        if self._read.after_spaces().sort is not Sort.RIGHT:
            self._read.back()
            pipeline = self._pipelines.read("template", Sort.RIGHT)
        return nodes.Include(offset, name, pipeline)

    def _inline(self, offset: int) -> nodes.Include:
        name = self._read.quoted("block")
        pipeline = self._pipelines.read("block", Sort.RIGHT)
        self._add(name, offset, "block")
        return nodes.Include(offset, name, pipeline)

    def _define(self, offset: int, *, allowed: bool) -> None:
        if not allowed:
            raise TemplateError("unexpected {{define}}; allowed: outside of all others", offset)
        name = self._read.quoted("define")
        self._read.expect(Sort.RIGHT, "define")
        self._add(name, offset, "define")

    def _add(self, name: str, offset: int, word: str) -> None:
        """Read a body, in which no outer variable counts, and keep it, unless it is empty and the one before is not."""
        ranges, self._ranges = self._ranges, 0
        with self._pipelines.fresh_scope():
            body, end = self._block(top=False)
        self._ranges = ranges
        if end != "end":
            raise TemplateError(f"{{{{{word}}}}} without {{{{end}}}}", offset)
        self._read.expect(Sort.RIGHT, "end")
        if _is_empty(self._defined.get(name, ())):
            self._defined[name] = body
        elif not _is_empty(body):
            raise TemplateError(f'a template "{name}" is defined twice', offset)


def _is_empty(body: nodes.Block) -> bool:
    return all(isinstance(node, nodes.Text) and not node.text.strip(" \t\r\n") for node in body)
