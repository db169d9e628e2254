"""The functions that an expression may call, besides those that CEL itself has.

Each is an ordinary function of its arguments. `x.f(y)` and `f(x, y)` call the same one. A function raises `ValueError`
for a value for which it is not defined; then the expression has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from extdns.cel.address_functions import ADDRESS_FUNCTIONS, parse_address
from extdns.cel.library import EXTENSIONS
from extdns.errors import InvalidValueError, shorten
from extdns.model.cache import cache_short
from extdns.model.dns_name import DnsName
from extdns.model.value import Value

MAX_TEXT: Final = 65_536
"""The longest text that a function returns, in characters."""

_ROOT: Final = "."
_PATH_CHARACTERS: Final = "/:@!$&'()*+,;=-._~%"


def is_subdomain_of(name: str, domain: str) -> bool:
    """Return whether *name* is *domain* or below it, by whole labels, in any spelling. "." contains every name."""
    parsed = name if isinstance(name, DnsName) else _parse_name(name)
    return domain == _ROOT or parsed.within(_parse_name(domain))


@cache_short(maxsize=1024)
def _parse_name(text: object) -> DnsName:
    if not isinstance(text, str):
        raise ValueError(f"a domain name is a string, not {type(text).__name__}")  # noqa: TRY004 - one class for every value without a result
    try:
        return DnsName.parse(text)
    except InvalidValueError as error:
        raise ValueError(f'"{shorten(text)}" is not a domain name; allowed: {error.allowed}') from error


class ParsedUrl(Value, frozen=True, kw_only=True):
    """The parts of a URL, as Kubernetes' functions return them."""

    scheme: str
    host: str
    hostname: str
    port: str
    path: str
    query: str


@cache_short(maxsize=1024)
def _parse_url(text: object) -> ParsedUrl:
    if not isinstance(text, str) or not text.isprintable() or " " in text:
        raise ValueError(f'"{shorten(str(text))}" is not a URL; allowed: an absolute URL or path')
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ValueError(f'"{shorten(text)}" is not a URL: {error}') from error
    if not parts.scheme and not text.startswith("/"):
        raise ValueError(f'"{shorten(text)}" is not a URL; allowed: an absolute URL or path')
    host = parts.netloc.rpartition("@")[2]
    if host.startswith("["):
        parse_address(host.partition("]")[0][1:])
    return ParsedUrl(
        scheme=parts.scheme,
        host=host,
        hostname=parts.hostname or "",
        port="" if port is None else str(port),
        path=quote(parts.path, safe=_PATH_CHARACTERS),
        query=parts.query,
    )


def convert_url(text: str) -> str:
    """Return *text* unchanged if it is an absolute URL or an absolute path. Raises `ValueError` if it is not."""
    _parse_url(text)
    return text


def is_url(text: str) -> bool:
    """Return whether *text* is an absolute URL or an absolute path."""
    try:
        _parse_url(text)
    except ValueError:
        return False
    return True


def replace_text(text: str, old: str, new: str, limit: int = -1) -> str:
    """Return *text* with *new* for the first *limit* occurrences of *old*, for all if it is negative."""
    count = text.count(old) if limit < 0 else min(limit, text.count(old))
    _limit_length(len(text) + count * (len(new) - len(old)))
    return text.replace(old, new, limit)


def join_texts(texts: list[str], separator: str = "") -> str:
    """Return *texts* as one text, with *separator* between two."""
    _limit_length(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _limit_length(length: int) -> None:
    if length > MAX_TEXT:
        raise ValueError(f"the result has {length} characters; allowed: {MAX_TEXT}")


_TEXT_NAMES: Final = (
    "charAt",
    "indexOf",
    "lastIndexOf",
    "lowerAscii",
    "reverse",
    "split",
    "substring",
    "trim",
    "upperAscii",
)

FUNCTIONS: Final[Mapping[str, Callable[..., object]]] = {
    **{name: EXTENSIONS["strings"][name] for name in _TEXT_NAMES},
    **EXTENSIONS["sets"],
    "bool": EXTENSIONS["core"]["bool"],
    **ADDRESS_FUNCTIONS,
    "isSubdomainOf": is_subdomain_of,
    "labels": lambda name: list(_parse_name(name).labels),
    "join": join_texts,
    "replace": replace_text,
    "url": convert_url,
    "isURL": is_url,
    "getScheme": lambda url: _parse_url(url).scheme,
    "getHost": lambda url: _parse_url(url).host,
    "getHostname": lambda url: _parse_url(url).hostname,
    "getPort": lambda url: _parse_url(url).port,
    "getEscapedPath": lambda url: _parse_url(url).path,
    "getQuery": lambda url: parse_qs(_parse_url(url).query, keep_blank_values=True),
}
"""By name in CEL. A name with a dot is called with it, as `ip.isCanonical(x)`."""

NATIVE_FUNCTIONS: Final = frozenset(
    """
    bytes contains double duration dyn endsWith getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours
    getMilliseconds getMinutes getMonth getSeconds int matches size startsWith string timestamp type uint
    """.split()  # noqa: SIM905 - a long list of words
)
"""Functions of the evaluator. How many arguments they get is not checked before the evaluation."""


def count_arguments(name: str) -> tuple[int, int]:
    """Return how many arguments the function *name* takes at least and at most, counting the one before the dot."""
    parameters = signature(FUNCTIONS[name]).parameters.values()
    required = sum(one.default is Parameter.empty for one in parameters)
    return required, len(parameters)
