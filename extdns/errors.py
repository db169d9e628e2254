"""The base classes of the errors that extdns raises on purpose. They differ in what the caller does about them.

::

    ExtdnsError
    ├── UsageError            stop and report it: a flag or environment variable is invalid
    ├── InvalidValueError     report it on the object, file or record; continue without the value
    ├── NotSyncedError        retry when the kind is listed; defined in `extdns.ports`, beside `ClusterView`
    ├── UnresolvedError       a host name has no address in DNS; the last known address stays in use
    ├── ProviderError         a call to the DNS service, or a read or write of its files, failed
    │   ├── RetryableError    the same call may succeed later
    │   │   └── CredentialsError  a person must give credentials first; a single pass does not retry
    │   ├── ForbiddenError    a person must grant a permission first; other zones continue
    │   └── RefusedError      the same call never succeeds; others do
    └── ApiError              a request to the API server failed; the same one may succeed later
        ├── DeniedError       a person must grant a permission first; other kinds continue
        ├── NotFoundError     there is no such object, or the kind is not served
        ├── ConflictError     another client wrote the object first: read it again
        ├── ExpiredError      the resource version is too old: list again
        └── TooLargeError     request less at once
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from extdns.masking import mask

_LINE_IN_PYTHON: Final = re.compile(r"^_ssl\.c:\d+: | \(_ssl\.c:\d+\)$")
"""Where Python found an error of TLS, which its messages begin or end with."""


class ExtdnsError(Exception):
    """Base class of all errors that extdns raises on purpose. The message never contains a secret."""

    def __init__(self, message: str = "") -> None:
        """Mask the secrets in *message*."""
        super().__init__(mask(message))


class UsageError(ExtdnsError):
    """A flag, an environment variable, their combination, or what they name is invalid; the message is for the user.

    Any function that reads one of these may raise it; only the command line handles it.
    """


class InvalidValueError(ExtdnsError, ValueError):
    """A value of an object, a file or a zone is invalid.

    Attributes:
        allowed: what is allowed, as a noun phrase.
        reason: the reason code under which it is reported (`extdns.model.reason.Reason`).
    """

    def __init__(self, value: str, allowed: str, reason: str) -> None:
        super().__init__(describe_invalid_value(value, allowed))
        self.value = value
        self.allowed = allowed
        self.reason = reason


class UnresolvedError(ExtdnsError):
    """A host name could not be resolved to an address; the message has the cause."""


class ProviderError(ExtdnsError):
    """A call to the DNS service, or a read or write of its files, failed; the message says what failed."""


class RetryableError(ProviderError):
    """The call was throttled or timed out, or the service failed; it may succeed later."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Store *retry_after_s*, the seconds to wait, None if the service names none."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class CredentialsError(RetryableError):
    """There are no valid credentials, so the call was not made or not accepted."""


class ForbiddenError(ProviderError):
    """The service refused the call: a permission is missing."""


class RefusedError(ProviderError):
    """The service does not accept what was sent."""


class ApiError(ExtdnsError):
    """A request to the API server failed; the message names the request.

    Attributes:
        code: the HTTP status code; 0 if there was no valid response.
        retry_after_s: the seconds to wait before a retry, None if the server names none.
    """

    def __init__(self, message: str, *, code: int = 0, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s


class DeniedError(ApiError):
    """Authentication failed (401) or a permission is missing (403)."""


class NotFoundError(ApiError):
    """There is no such object, or the kind is not served (404 from the API server itself, not from a proxy).

    Attributes:
        name: the name of the missing object; "" if the response has none, because its kind is not served or the server
            does not say. `extdns.kube.live.existence` distinguishes the two.
    """

    def __init__(self, message: str, *, code: int = 0, retry_after_s: float | None = None, name: str = "") -> None:
        super().__init__(message, code=code, retry_after_s=retry_after_s)
        self.name = name


class ConflictError(ApiError):
    """The object has changed since it was read (409)."""


class ExpiredError(ApiError):
    """A resource version or a continue token has expired (410)."""


class TooLargeError(ApiError):
    """The response is larger than allowed."""


def describe_invalid_value(value: str, allowed: str) -> str:
    """Return the message for an invalid *value*."""
    return f"{shorten(value)!r} is not valid; allowed: {allowed}"


def describe_type(value: object) -> str:
    """Describe *value*, which a YAML or JSON document has, for messages about its type, such as `the number 3`."""
    match value:
        case None:
            return "empty"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {sanitize(str(value)) if abs(value) < 10**30 else 'given'}"
        case str():
            return f'the string "{sanitize(value)}"'
        case list() | tuple():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "not valid YAML"


def describe_error(exc: BaseException | None) -> str:
    """Describe an unexpected error by its class and message, without secrets."""
    return mask(f"{type(exc).__name__}: {exc}")


def describe_cause(exc: Exception, most: int = 120) -> str:
    """Describe an expected error for people: by the text of the operating system if it has one, without its number.

    The text is cut after *most* characters.
    """
    if getattr(exc, "reason", "") == "WRONG_VERSION_NUMBER":  # of an ssl.SSLError
        return "the server does not use TLS"
    text = (exc.strerror if isinstance(exc, OSError) else "") or str(exc) or type(exc).__name__
    return sanitize(_LINE_IN_PYTHON.sub("", text), most)


def shorten(text: str, most: int = 120) -> str:
    """Cut *text* after *most* characters for a message, and add its length; a shorter text stays as it is.

    Untrusted values may be of any length.
    """
    if len(text) <= most:
        return text
    return f"{mask(text)[:most]}… ({len(text)} characters)"  # masked first: half a secret would not be found


def escape_unprintable(text: str) -> str:
    """Return *text* with all characters escaped that are not printable."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def sanitize(text: str, most: int = 120) -> str:
    """Return untrusted *text* for a message: on one line, printable, and cut after *most* characters."""
    return shorten(escape_unprintable(text), most)


def find_similar(text: str, known: Iterable[str], least: float = 0.6) -> str:
    """Return the text of *known* that somebody who wrote *text* probably meant; "" if none is similar.

    *least* is the smallest similarity, from 0 to 1.
    """
    near = [one for one in known if _compute_highest_similarity(text, one) >= least]
    if not near:
        return ""
    from difflib import get_close_matches  # noqa: PLC0415 - only messages about invalid values need it

    return next(iter(get_close_matches(text, near, n=1, cutoff=least)), "")


def _compute_highest_similarity(text: str, other: str) -> float:
    """Return how similar, from 0 to 1, the two texts would be if their common letters were in the same order."""
    length = len(text) + len(other)
    return 2 * (Counter(text) & Counter(other)).total() / length if length else 1.0
