r"""Domain names as Route 53 spells them (developer guide, "DNS domain name format").

Names come with a dot at the end, and with `\052` for `*` and for all else that is not a letter, a
digit, `-` or `_`. They go out as they are: the service takes every printable character.
"""

from __future__ import annotations

import re
from typing import Final

from extdns.model.name import DnsName
from providers.remote import names

_OCTAL: Final = re.compile(r"\\([0-3][0-7]{2})")


def unescaped(text: str) -> str:
    """*text* without its octal escapes (spec plan 4.4)."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text) if "\\" in text else text


def parsed(text: str) -> DnsName | None:
    """The name that the service spells *text*, None if it is one that we could not ask for."""
    return names.parsed(unescaped(text))
