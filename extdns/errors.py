"""Everything extdns raises on purpose, split by what the catcher does about it.

::

    ExtdnsError
    ├── UsageError            stop and tell the user: a flag or environment variable is wrong
    ├── InvalidValueError     tell the owner of the object, file or record; go on without that value
    ├── NotReadyError         ask again when the kind has been listed; in `extdns.ports`, with the `View` that raises it
    ├── UnresolvedError       DNS gave no address of a host; an older one goes on to count
    ├── ProviderError         the DNS service (or its files) could not do what was asked
    │   ├── RetryableError    the same call may succeed later
    │   └── ForbiddenError    a person must grant a right first; other zones go on
    └── ApiError              the API server did not do what was asked; the same may succeed later
        ├── DeniedError       a person must grant a right first; other kinds go on
        ├── NotFoundError     the object is not there, or the kind is not served
        ├── ConflictError     somebody else wrote first: read it again
        └── ExpiredError      history does not reach to that version: list again
"""

from __future__ import annotations


class ExtdnsError(Exception):
    """Base of every error that extdns raises on purpose."""


class UsageError(ExtdnsError):
    """A flag, an environment variable or their combination is wrong; the text is for the user."""


class InvalidValueError(ExtdnsError, ValueError):
    """A value from an object, a file or a zone is not what it must be.

    Attributes:
        value: the text as it was found.
        allowed: what would have been right, as a noun phrase.
        reason: the reason code under which it is reported (`extdns.model.reason.Reason`).
    """

    def __init__(self, value: str, allowed: str, reason: str) -> None:
        """Keep the three facts; the message joins them."""
        super().__init__(not_valid(value, allowed))
        self.value = value
        self.allowed = allowed
        self.reason = reason


class UnresolvedError(ExtdnsError):
    """DNS gave no address of a host; the text says why."""


class ProviderError(ExtdnsError):
    """A call to the DNS service failed; the text names the call and the zone, never a secret."""


class RetryableError(ProviderError):
    """The call may succeed later: throttled, timed out, or the service failed."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        """Keep the wait that the service asked for, in seconds, if it did."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ForbiddenError(ProviderError):
    """The service refused the call for lack of a right."""


class ApiError(ExtdnsError):
    """A request to the API server failed; the text names the request, never a credential.

    Attributes:
        code: HTTP status code, 0 if there was no answer or none that could be used.
        retry_after_s: the wait that the server asked for, in seconds, if it did.
    """

    def __init__(self, message: str, *, code: int = 0, retry_after_s: float | None = None) -> None:
        """Keep what the caller's next step depends on."""
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s


class DeniedError(ApiError):
    """The API server does not know us (401) or does not let us (403)."""


class NotFoundError(ApiError):
    """There is no such object, or nothing at that path at all (404).

    Attributes:
        name: the object that is not there; "" if not even its kind is served.
    """

    def __init__(self, message: str, *, code: int = 0, retry_after_s: float | None = None, name: str = "") -> None:
        """Keep the *name* of what is not there."""
        super().__init__(message, code=code, retry_after_s=retry_after_s)
        self.name = name


class ConflictError(ApiError):
    """The object is not what the write was made from (409)."""


class ExpiredError(ApiError):
    """A version or a continue token is too old, or of another history (410)."""


def not_valid(value: str, allowed: str) -> str:
    """What is wrong with *value*, and what would be right."""
    return f"{shortened(value)!r} is not valid; allowed: {allowed}"


def described(exc: BaseException | None) -> str:
    """An error that nobody foresaw: what it is, and what it says."""
    return f"{type(exc).__name__}: {exc}"


def shortened(text: str, most: int = 120) -> str:
    """*text* cut to *most* characters, what a message can bear; untrusted values may be of any length."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def escaped(text: str) -> str:
    """*text* with every character that is not printable escaped, whatever its length."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(text: str, most: int = 120) -> str:
    """Untrusted *text* as a message shows it without quotes: on one line, and shortened."""
    return shortened(escaped(text), most)
