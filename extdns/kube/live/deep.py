"""Takes a list apart whose objects are nested more deeply than the decoder goes.

One such object would otherwise cost the whole list, and anybody who may create objects can make one.
"""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_ITEMS: Final = b'"items"'
_IN_LIST: Final = 2
"""How deep items stand: in a list, in an object."""


def list_parts(body: bytes) -> tuple[bytes, list[bytes]]:
    """*body* with an empty list of items, and the items.

    What is not well-formed comes back as it is, or in pieces that are no better.
    """
    items: list[bytes] = []
    depth = first = begin = 0
    key = b""
    for token in _TOKEN.finditer(body):
        text = token[0]
        if text in b"{[":
            if depth == 1 and key == _ITEMS and not first:
                first = token.end()
            elif depth == _IN_LIST:
                begin = token.start()
            depth += 1
        elif text in b"}]":
            depth -= 1
            if first and depth == _IN_LIST:
                items.append(body[begin : token.end()])
            elif first and depth < _IN_LIST:
                return body[:first] + body[token.start() :], items
        elif depth == 1:
            key = text
    return body, []
