"""Log in to Kerberos with a password, and open security contexts (docs/design/rfc2136.md, "Kerberos").

Only this module imports `gssapi`, an extra, so it is imported only with `--rfc2136-gss-tsig`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Final

import gssapi  # pyright: ignore[reportMissingImports] # an extra, which static checks do not need
import gssapi.raw  # pyright: ignore[reportMissingImports] # as above
import gssapi.raw.misc  # pyright: ignore[reportMissingImports] # as above

from extdns.errors import sanitize
from providers.common.api_calls import CallFailedError, FailureKind
from providers.rfc2136.settings import KerberosLogin, SecurityContext

_MECHANISM: Final = gssapi.MechType.kerberos
_FLAGS: Final = (
    gssapi.RequirementFlag.mutual_authentication
    | gssapi.RequirementFlag.integrity
    | gssapi.RequirementFlag.replay_detection
)
_REJECTED_S: Final = 900.0  # a login with a wrong password counts towards the lockout of the account
_RENEW_AGAIN_S: Final = 60.0
_FIRST_CODE: Final = 2**32 - 1765328384  # of the Kerberos library; the next 128 are the error codes of RFC 4120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    """What a code of the Kerberos library means; *detail* can have the fields `user`, `realm` and `host`."""

    code: str
    detail: str
    kind: FailureKind = FailureKind.CREDENTIALS
    is_rejection: bool = False


_INCORRECT_LOGIN: Final = "the password of {user}@{realm} is wrong: correct --rfc2136-kerberos-password"
_NO_KDC: Final = "no KDC of realm {realm} is known: compare --rfc2136-kerberos-realm, and name its KDC in krb5.conf"
_CLOCKS: Final = "the clocks of this machine and of the KDC differ: set them"
_PROBLEMS: Final = {
    6: _Problem(
        code="KDC_ERR_C_PRINCIPAL_UNKNOWN",
        detail="realm {realm} has no user {user}: compare --rfc2136-kerberos-username and --rfc2136-kerberos-realm",
        is_rejection=True,
    ),
    7: _Problem(
        code="KDC_ERR_S_PRINCIPAL_UNKNOWN",
        detail="realm {realm} has no service DNS/{host}: let --rfc2136-host be the name in the server's principal",
    ),
    18: _Problem(
        code="KDC_ERR_CLIENT_REVOKED",
        detail="the account {user}@{realm} is locked, disabled or expired: enable it",
        is_rejection=True,
    ),
    23: _Problem(
        code="KDC_ERR_KEY_EXPIRED",
        detail="the password of {user}@{realm} has expired: set a new one",
        is_rejection=True,
    ),
    24: _Problem(code="KDC_ERR_PREAUTH_FAILED", detail=_INCORRECT_LOGIN, is_rejection=True),
    31: _Problem(code="KRB_AP_ERR_BAD_INTEGRITY", detail=_INCORRECT_LOGIN, is_rejection=True),
    37: _Problem(code="KRB_AP_ERR_SKEW", detail=_CLOCKS, kind=FailureKind.RETRYABLE),
    147: _Problem(code="KRB5_KDCREP_SKEW", detail=_CLOCKS, kind=FailureKind.RETRYABLE),
    154: _Problem(code="KRB5_REALM_UNKNOWN", detail=_NO_KDC),
    156: _Problem(
        code="KRB5_KDC_UNREACH",
        detail="no KDC of realm {realm} can be reached: check the network, and the KDC in krb5.conf",
        kind=FailureKind.RETRYABLE,
    ),
    220: _Problem(code="KRB5_REALM_CANT_RESOLVE", detail=_NO_KDC),
}


class KerberosClient:
    """Has the tickets of one user in memory; safe from any thread.

    After the KDC has rejected the login, it is not sent again for 15 minutes, so that it cannot lock the account. A
    login that fails otherwise, as without an answer, fails for all calls that waited for it.
    """

    def __init__(self, login: KerberosLogin, *, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        """Prepare for *login*; the KDC is not contacted yet. *monotonic_s* returns the time."""
        self._login = login
        self._monotonic_s = monotonic_s
        self._lock = Lock()
        self._credentials: gssapi.Credentials | None = None
        self._renew_at_s = self._expire_at_s = 0.0
        self._failure: CallFailedError | None = None
        self._failed_until_s = 0.0  # for calls that began before, the login has failed

    def open_context(self, host: str) -> tuple[SecurityContext, bytes]:
        """Return a new context with the DNS server *host*, and its first token.

        Raises:
            CallFailedError: the KDC cannot be reached, rejects the login, or does not know the server.
        """
        host = host.removesuffix(".")
        began_s = self._monotonic_s()
        with self._lock:  # one thread logs in for all
            credentials = self._get_credentials(host, began_s)
        with self._explain_failures(host):
            context = _Context(
                gssapi.SecurityContext(
                    name=self._build_name(f"DNS/{host}"),
                    creds=credentials,
                    mech=_MECHANISM,
                    flags=_FLAGS,
                    usage="initiate",
                )
            )
        try:
            with self._explain_failures(host):
                return context, context.start()
        except CallFailedError:
            self.discard_tickets()
            raise

    def discard_tickets(self) -> None:
        """Log in again for the next context: the tickets may be invalid, as after the server got a new key."""
        with self._lock:
            self._credentials = None

    def _get_credentials(self, host: str, began_s: float) -> gssapi.Credentials:
        """Return the tickets for a call that began at *began_s*.

        If they must be renewed and that fails, return the old ones while they are valid.
        """
        if self._credentials is not None and began_s < self._renew_at_s:
            return self._credentials
        if self._failure is not None and began_s < self._failed_until_s:
            raise self._failure.with_traceback(None)  # that of the calls before would keep their frames in memory
        try:
            self._credentials = self._log_in(host)
        except CallFailedError:
            now_s = self._monotonic_s()
            if self._credentials is None or now_s >= self._expire_at_s:
                raise
            self._renew_at_s = min(max(self._failed_until_s, now_s + _RENEW_AGAIN_S), self._expire_at_s)
        return self._credentials

    def _log_in(self, host: str) -> gssapi.Credentials:
        self._failure = None
        try:
            with self._explain_failures(host):
                acquired = gssapi.raw.acquire_cred_with_password(
                    self._build_name(self._login.username),
                    self._login.password.encode(),
                    mechs=[_MECHANISM],
                    usage="initiate",
                )
        except CallFailedError as failed:
            if self._failure is None:
                self._failure, self._failed_until_s = failed, self._monotonic_s()
            raise
        lifetime_s, now_s = acquired.lifetime or 0, self._monotonic_s()
        self._renew_at_s, self._expire_at_s = now_s + lifetime_s / 2, now_s + lifetime_s
        return gssapi.Credentials(base=acquired.creds)

    def _build_name(self, principal: str) -> gssapi.Name:
        return gssapi.Name(f"{principal}@{self._login.realm}", gssapi.NameType.kerberos_principal)

    @contextmanager
    def _explain_failures(self, host: str) -> Iterator[None]:
        """Raise `CallFailedError` that says what to do, for failures in the block."""
        try:
            yield
        except gssapi.raw.misc.GSSError as exc:
            problem = _PROBLEMS.get(exc.min_code - _FIRST_CODE)
            if problem is None:
                raise _build_failure(exc) from exc
            login = self._login
            detail = problem.detail.format(user=sanitize(login.username), realm=sanitize(login.realm), host=host)
            if problem.is_rejection:
                detail += f"; the KDC is not asked again for {_REJECTED_S:.0f} s, except after a restart"
            failed = CallFailedError(problem.kind, "", "", problem.code, detail)
            if problem.is_rejection:
                self._failure, self._failed_until_s = failed, self._monotonic_s() + _REJECTED_S
            raise failed from exc


class _Context:
    """A context whose failures are `CallFailedError`."""

    def __init__(self, context: gssapi.SecurityContext) -> None:
        self._context = context

    @property
    def complete(self) -> bool:
        return bool(self._context.complete)

    def start(self) -> bytes:
        """Return the first token. Unlike the other methods, raise the errors of gssapi as they are."""
        return self._context.step() or b""

    def step(self, token: bytes) -> bytes:
        with _wrap_failures():
            return self._context.step(token) or b""

    def get_signature(self, message: bytes) -> bytes:
        with _wrap_failures():
            return bytes(self._context.get_signature(message))

    def verify_signature(self, message: bytes, signature: bytes) -> object:
        with _wrap_failures():
            return self._context.verify_signature(message, signature)


@contextmanager
def _wrap_failures() -> Iterator[None]:
    try:
        yield
    except gssapi.raw.misc.GSSError as exc:
        raise _build_failure(exc) from exc


def _build_failure(exc: gssapi.raw.misc.GSSError) -> CallFailedError:
    return CallFailedError(FailureKind.RETRYABLE, "", "", type(exc).__name__, sanitize(str(exc)))
