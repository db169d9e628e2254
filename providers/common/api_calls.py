"""Calls to DNS services over HTTP: how they fail, certificates, and the names in responses."""

from __future__ import annotations

import atexit
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Final, assert_never

from extdns.errors import CredentialsError, ForbiddenError, InvalidValueError, ProviderError, RetryableError
from extdns.masking import mask
from extdns.model.api_request import ApiCall, CallObserver
from extdns.model.change import Forbidden, Outcome, TryLater, Unknown
from extdns.model.dns_name import DnsName

DEFAULT_TIMEOUTS_S: Final = (5.0, 30.0)
SHORT_TIMEOUTS_S: Final = (3.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How long a write may take, and whether it may begin.

    Attributes:
        timeouts_s: to connect, and to respond.
        can_begin: returns whether this process may write now; called from any thread, right before the request.
    """

    timeouts_s: tuple[float, float] = DEFAULT_TIMEOUTS_S
    can_begin: Callable[[], bool] = lambda: True

    def require_can_begin(self, call: str, context: str = "") -> None:
        """Raise `CallFailedError` if no write may begin now; *call* and *context* are part of its message."""
        if not self.can_begin():
            detail = "this process is not the leader, or not for long enough"
            raise CallFailedError(FailureKind.RETRYABLE, call, context, "NotLeading", detail)


_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def find_ca_bundle(environ: Mapping[str, str], *, sdk_variable: str) -> str:
    """Return the path of a file with all trusted certificates, as a Go program would find it; "" for the SDK's default.

    Args:
        environ: the environment variables; `SSL_CERT_FILE` and `SSL_CERT_DIR` decide.
        sdk_variable: the SDK's own variable, which takes precedence.

    Raises:
        OSError: several files must be joined, and no temporary file can be written.
    """
    if environ.get(sdk_variable):
        return ""
    file = environ.get("SSL_CERT_FILE") or next((name for name in _BUNDLES if Path(name).is_file()), "")
    folders = environ.get("SSL_CERT_DIR", "")
    return _join_bundles(file, folders) if folders else file


@lru_cache(maxsize=4)
def _join_bundles(file: str, folders: str) -> str:
    paths = [Path(file)] if file else []
    paths += (path for folder in folders.split(":") if folder for path in _list_certificates(Path(folder)))
    text = b"".join(path.read_bytes() + b"\n" for path in paths)
    with tempfile.NamedTemporaryFile("wb", prefix="extdns-ca-", suffix=".pem", delete=False) as bundle:
        atexit.register(Path(bundle.name).unlink, missing_ok=True)  # SDKs read the file for each connection
        bundle.write(text)
    return bundle.name


def _list_certificates(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(
            path for path in folder.iterdir() if path.is_file() and b"-----BEGIN CERTIFICATE-----" in path.read_bytes()
        )


ZONE_ID_FILTER_HINT: Final = "; zones in --zone-id-filter are read one by one, and this permission is not needed"
"""What a person can do if listing zones is forbidden."""


class FailureKind(StrEnum):
    """Why a call failed. The kinds differ in what the caller does next."""

    REFUSED = "refused"  # the request is invalid
    FORBIDDEN = "forbidden"  # a permission is missing
    CREDENTIALS = "credentials"  # there are no valid credentials; nothing was changed
    RETRYABLE = "later"  # throttled, busy, failing or unreachable; nothing was changed
    UNANSWERED = "unanswered"  # the request was sent, and no response came


class CallFailedError(ProviderError):
    """A call failed; the message names the call, its context, and the code and message of the service.

    Attributes:
        kind: what the caller can do.
        code: the service's error code, or the name of the exception.
        detail: the service's message.
        messages: the problems that the service lists one by one, () if they are in one text.
    """

    def __init__(
        self, kind: FailureKind, call: str, context: str, code: str, detail: str, *, messages: tuple[str, ...] = ()
    ) -> None:
        """Join the parts of the message into one line."""
        suffix = f" on {context}" if context else ""
        super().__init__(f"{call}{suffix}: {code}: {detail}" if detail else f"{call}{suffix}: {code}")
        self.kind = kind
        self.code = code
        self.detail = mask(detail)
        self.messages = tuple(map(mask, messages))


@contextmanager
def measure_call(observe: CallObserver, action: str) -> Iterator[None]:
    """Pass the duration of the call in the block to *observe*, and how it failed if it raises `CallFailedError`."""
    started_at = time.monotonic()
    status = "ok"
    try:
        yield
    except CallFailedError as failed:
        status = failed.kind.value
        raise
    finally:
        observe(ApiCall(action=action, status=status, seconds=time.monotonic() - started_at))


def convert_to_read_error(failed: CallFailedError) -> ProviderError:
    """Return the error of a failed read for the engine: forbidden, without credentials, or to be retried."""
    if failed.kind is FailureKind.FORBIDDEN:
        return ForbiddenError(str(failed))
    if failed.kind is FailureKind.CREDENTIALS:
        return CredentialsError(str(failed))
    return RetryableError(str(failed))


def convert_to_outcome(failed: CallFailedError, build_refusal: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of a batch whose call *failed*; *build_refusal* builds it if the request was invalid."""
    message = str(failed)
    match failed.kind:
        case FailureKind.REFUSED:
            return build_refusal()
        case FailureKind.FORBIDDEN:
            return Forbidden(message=message)
        case FailureKind.CREDENTIALS | FailureKind.RETRYABLE:
            return TryLater(message=message)
        case FailureKind.UNANSWERED:
            return Unknown(message=message)
        case _:
            assert_never(failed.kind)


def parse_service_name(text: str) -> DnsName | None:
    """Return the name *text* of a response; None if it is one that no object can request.

    Such names contain blanks, control characters or raw octets, which no record of ours has. A name with non-ASCII
    letters must not be read as the name with its A-labels.
    """
    if not text.isascii() or text != text.strip():
        return None
    try:
        return DnsName.parse(text)
    except InvalidValueError:
        return None
