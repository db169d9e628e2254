"""Read the identity of the cluster that responds at the address of the API server.

The permissions that external-dns needs are enough. A part of the identity that cannot be read is unknown, and is not
compared with that of another cluster.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re
from collections.abc import Callable
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

import msgspec

from extdns.errors import ApiError, DeniedError, NotFoundError
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import build_object_path
from extdns.kube.live import responses
from extdns.model.cluster import ClusterIdentity
from extdns.model.kind import Kind, ObjectKey

IDENTITY_INTERVAL_S: Final = 300.0
"""How often the identity is read while no watch reconnects. Each reconnect reads it at once; the interval covers
proxies that send new connections to another cluster but keep the old ones."""

_MAX_UNCERTAIN_S: Final = 20.0
"""How long a failed read is retried before the parts that could be read are accepted as the identity."""

_REPEAT_REPORT_S: Final = 60.0
"""An unchanged identity is reported at most this often, even if many watches reconnect at once."""

_KUBE_SYSTEM: Final = ObjectKey(Kind("", "v1", "Namespace", "namespaces", namespaced=False), "", "kube-system")
_CERTIFICATE: Final = re.compile(rb"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)
_MAX_CERTIFICATES: Final = 10
"""A bundle of more certificates is that of an operating system: many clusters share it, and updates change it."""

_DIGEST_BYTES: Final = 16


class IdentityReader:
    """Reads the identity of the cluster; safe from any thread.

    Attributes:
        epoch: increases each time another cluster responds.
        failure: why the last read failed, or "". A missing permission is not a failure. After a failure, the identity
            should be read again soon.
    """

    def __init__(
        self,
        api: ApiClient,
        report: Callable[[ClusterIdentity], None],
        *,
        cluster_id: str = "",
        monotonic: Callable[[], float],
    ) -> None:
        """Use *api*, and pass each identity to *report*, on the thread that read it, before it processes a response."""
        self._api = api
        self._report = report
        self._cluster_id = cluster_id
        self._monotonic = monotonic
        self._lock = Lock()
        self._read_at_s: float | None = None
        self._first_read_at_s = math.inf
        self._failing_since_s = math.inf
        self._may_succeed_soon = False
        self._denied_until_s = 0.0
        self._known = ClusterIdentity()
        self._reported: ClusterIdentity | None = None
        self._reported_at_s = 0.0
        self.epoch = 0
        self.failure = ""

    def check(self, since_s: float) -> int:
        """Return `epoch`. First read the identity, unless it was read at *since_s* (monotonic seconds) or later.

        Raises:
            ApiError: the uid was known and cannot be read now, so another cluster may be responding. After 20 seconds
                of such failures, no error is raised.
        """
        with self._lock:
            if self._read_at_s is None or self._read_at_s < since_s:
                self._read_at_s = self._monotonic()
                self._first_read_at_s = min(self._first_read_at_s, self._read_at_s)
                identity = self._read()
                if not self._may_succeed_soon:
                    self._failing_since_s = math.inf
                elif self._known.uid:
                    self._failing_since_s = min(self._failing_since_s, self._monotonic())
                if not self._is_in_doubt:
                    self._accept(identity)
            if self._is_in_doubt:
                raise ApiError(f"cannot verify that the same cluster still responds: {self.failure}")
            return self.epoch

    @property
    def _is_in_doubt(self) -> bool:
        return 0.0 <= self._monotonic() - self._failing_since_s < _MAX_UNCERTAIN_S

    def _read(self) -> ClusterIdentity:
        return ClusterIdentity(
            uid=self._read_uid(),
            issuer=find_issuer(self._api.service_account_token),
            authority=digest_authority(self._api.ca_certificates),
            configured_id=self._cluster_id,
        )

    def _read_uid(self) -> str:
        """Return the uid of kube-system; "" without permission, and the last one if it cannot be read now."""
        self.failure, self._may_succeed_soon = "", False
        if self._monotonic() < self._denied_until_s:
            return ""
        path = build_object_path(_KUBE_SYSTEM)
        try:
            return responses.decode_header(_KUBE_SYSTEM.kind, f"GET {path}", self._api.get(path)).uid
        except DeniedError:
            self._denied_until_s = self._monotonic() + IDENTITY_INTERVAL_S / 2
            return ""
        except ApiError as exc:
            self.failure = str(exc)
            self._may_succeed_soon = not isinstance(exc, NotFoundError)
            return self._known.uid

    def _accept(self, identity: ClusterIdentity) -> None:
        known = self._known
        if identity.differs_from(known):
            self.epoch += 1
            self._known = identity
        else:  # keep the parts that can no longer be read
            self._known = ClusterIdentity(
                uid=identity.uid or known.uid,
                issuer=identity.issuer or known.issuer,
                authority=identity.authority or known.authority,
                configured_id=identity.configured_id,
            )
        now_s = self._monotonic()
        if self._may_succeed_soon and self._reported is None and now_s < self._first_read_at_s + _MAX_UNCERTAIN_S:
            return
        if identity != self._reported or now_s - self._reported_at_s >= _REPEAT_REPORT_S:
            self._reported, self._reported_at_s = identity, now_s
            self._report(identity)


def find_issuer(token: str) -> str:
    """Return the issuer of a service account *token* (RFC 7519); "" if it has none or many clusters share it."""
    try:
        payload = token.split(".")[1]
        issuer = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["iss"]
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        return ""
    if not isinstance(issuer, str) or _is_generic_issuer(issuer):
        return ""
    return issuer


def _is_generic_issuer(issuer: str) -> bool:
    """Return whether *issuer* is the in-cluster name of the API server, which many clusters share."""
    try:
        host = urlsplit(issuer).hostname or issuer
    except ValueError:
        host = issuer
    return host.startswith(("kubernetes.default", "kubernetes/"))


def digest_authority(pem: bytes) -> str:
    """Return a digest of the CA certificates in *pem*, independent of order and layout.

    Returns "" without certificates, and for bundles of more than `_MAX_CERTIFICATES`.
    """
    found = set(filter(None, map(_decoded, _CERTIFICATE.findall(pem))))
    if not 0 < len(found) <= _MAX_CERTIFICATES:
        return ""
    return hashlib.blake2b(b"".join(sorted(found)), digest_size=_DIGEST_BYTES).hexdigest()


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(b"".join(text.split()), validate=True)
    except binascii.Error:
        return b""
