"""Mask secrets in everything that people read.

A secret enters through a flag, an environment variable or a file, and may leave in the error of a library that quotes
the URL it could not reach. Both sides are here:

- `add_secrets` stores the secrets: those of flags and variables at the start, before anything can fail
  (`extdns.flags.parser`), those of files when they are read.
- `mask` replaces them in the text of every error (`extdns.errors`) and in every log line (`extdns.log`). Documents,
  Events and probes repeat those texts. `mask_url` is for text that shows the URL of a flag.

Secrets of less than six characters are masked in URLs only. A name or a TXT value that happens to contain a password is
published as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

MASK: Final = "******"

_SHORTEST: Final = 6
"""Shorter secrets are masked in URLs only: elsewhere, so few characters may occur by chance."""

_USERINFO: Final = re.compile(r"""(?<=://)[^\s/?#"'<>]*@""")
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?P<userinfo>[^@]*)@")
_SECRET_NAME: Final = re.compile(
    r"(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:API|ACCESS|PRIVATE|AES|ENCRYPTION)[_-]?KEY)$",
    re.IGNORECASE,
)
_SEPARATORS: Final = re.compile(r"[/?#@:]")
_IN_USERINFO: Final = "!$&'()*+,;=:~"
"""The characters before the @ of a URL that urllib3 does not encode."""

_NEVER_FAIL: Final = "surrogatepass"
"""How to encode text that may be of bytes that are not UTF-8, which Python reads as surrogates."""


class _Secrets:
    """The secrets of this process, and one pattern that finds all of them."""

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None

    def add(self, secrets: Iterable[str]) -> None:
        """Mask *secrets* of at least six characters from now on, also in the encodings that libraries use."""
        texts = self._texts | {
            encoded for secret in secrets for encoded in _find_encodings(secret) if len(encoded) >= _SHORTEST
        }
        if texts != self._texts:
            longest_first = sorted(texts, key=lambda text: (-len(text), text))
            self._pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
            self._texts = texts

    def clear(self) -> None:
        """Forget all secrets. For tests, which share one process."""
        self._texts, self._pattern = frozenset(), None

    def mask(self, text: str) -> str:
        return self._pattern.sub(MASK, text) if self._pattern else text


_secrets = _Secrets()
add_secrets = _secrets.add
clear_secrets = _secrets.clear


def mask(text: str) -> str:
    """Return *text* with secrets replaced: those that were added, and user and password of every URL."""
    found = _secrets.mask(text)
    return _USERINFO.sub(f"{MASK}@", found) if "@" in found else found


def mask_url(url: str) -> str:
    """Return *url*, the value of a flag, with `******` in place of the user, the password and the query."""
    if userinfo := _find_userinfo(url):
        before, _, after = url.partition(f"{userinfo}@")
        url = f"{before}{MASK}@{after}"
    address, separator, query = url.partition("?")
    return mask(f"{address}?{MASK}" if separator and query else url)


def find_in_url(url: str) -> Iterator[str]:
    """Yield the secrets in *url*: user and password together, the password alone, and parameters with secret names.

    Without a password, the user is the secret. Parts of the password, and encoded forms, are yielded, too.
    """
    if userinfo := _find_userinfo(url):
        user, colon, password = userinfo.partition(":")
        yield userinfo
        secret = password if colon else user
        yield secret
        yield from _SEPARATORS.split(secret)  # what a library reads as host or port if the characters are not encoded
        import base64  # noqa: PLC0415 - not needed without secrets

        texts = (userinfo, unquote(userinfo))
        yield from (base64.b64encode(text.encode(errors=_NEVER_FAIL)).decode() for text in texts)
    try:
        parameters = parse_qsl(urlsplit(url).query)
    except ValueError:
        return
    yield from (value for name, value in parameters if is_secret_name(name))


def find_in_text(text: str) -> Iterator[str]:
    """Yield the secrets in the user information of the URLs in *text*."""
    for found in _USERINFO.findall(text):
        yield from find_in_url(f"//{found}")


def is_secret_name(name: str) -> bool:
    """Return whether the value of a variable or parameter called *name* is a secret, as `AWS_SESSION_TOKEN`."""
    return _SECRET_NAME.search(name) is not None


def _find_userinfo(url: str) -> str:
    """Return the user information before the @ of *url*, "" if there is none. It may contain a / that is not encoded.

    Without a colon, a / starts the path, and an @ in the path does not count. What looks like an empty password may be
    one that begins with an @: then an @ in the path counts, too.
    """
    found = _AUTHORITY.match(url.removeprefix("//"))
    userinfo = found["userinfo"] if found else ""
    if found:  # up to the last @ before the path
        rest = url.removeprefix("//")[found.end() :]
        _, colon, password = userinfo.partition(":")
        host = rest if colon and not password else rest.partition("/")[0]
        userinfo += f"@{host.rpartition('@')[0]}" if "@" in host else ""
    return "" if "/" in userinfo and ":" not in userinfo.partition("/")[0] else userinfo


def _find_encodings(secret: str) -> Iterator[str]:
    """Yield how libraries may spell *secret* and each of its lines: percent-encoded, decoded, or in Python or JSON."""
    import json  # noqa: PLC0415 - not needed without secrets

    bare = unquote(secret)
    for text in dict.fromkeys((secret, bare, *secret.splitlines())):
        yield text
        yield from (quote(text, safe, errors=_NEVER_FAIL) for safe in ("/", "", _IN_USERINFO))
        yield repr(text)[1:-1]
        yield json.dumps(text)[1:-1]
        yield text.encode("unicode_escape").decode()
