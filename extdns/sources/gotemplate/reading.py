"""Steps through tokens, with as many steps back as the grammar needs."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.lexer import Sort, Token
from extdns.sources.gotemplate.literals import unquoted


class Reading:
    """A place among tokens."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        """Stand before the first of *tokens*, which end with END; raises what they raise."""
        self._tokens = tuple(tokens)
        self._at = 0

    @property
    def last(self) -> Token:
        """The token read last."""
        return self._tokens[max(self._at - 1, 0)]

    def next(self) -> Token:
        """The next token; END again and again."""
        token = self._tokens[min(self._at, len(self._tokens) - 1)]
        self._at += 1
        return token

    def after_spaces(self) -> Token:
        """The next token that is no space."""
        token = self.next()
        return self.next() if token.sort is Sort.SPACE else token

    def back(self) -> None:
        """Undo the last step."""
        self._at -= 1

    def mark(self) -> int:
        """The place, for `rewind`."""
        return self._at

    def rewind(self, mark: int) -> None:
        """Go back to *mark*."""
        self._at = mark

    def expect(self, sort: Sort, where: str) -> Token:
        """The next token but spaces, which must be of that *sort*; *where* is for the message."""
        token = self.after_spaces()
        if token.sort is not sort:
            raise TemplateError(f'unexpected {token} in {where}; allowed: "{sort}"', token.offset)
        return token

    def quoted(self, where: str) -> str:
        """The next token but spaces, which must be a quoted text; what it says."""
        token = self.after_spaces()
        if token.sort is not Sort.STRING:
            raise TemplateError(f"unexpected {token} in {where}; allowed: a name in quotes", token.offset)
        return unquoted(token)
