"""Tokens for Azure Resource Manager, from azure-identity."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, Protocol

from extdns.errors import UsageError, sanitize
from providers.azure.configuration import AzureConfig, CredentialKind
from providers.common.api_calls import CallFailedError, FailureKind
from providers.common.certificates import find_ca_bundle

_RETRIES: Final = 2
_TIMEOUT_S: Final = 10.0
_MAX_TEXT: Final = 500
_ACTION: Final = "GetToken"


class Tokens(Protocol):
    """Gives tokens; safe from any thread. Raises only `CallFailedError`."""

    def get(self) -> str:
        """Return a token."""
        ...

    def forget(self) -> None:
        """Request a new token the next time, because the service did not accept the last one."""
        ...


def require_identity() -> None:
    """Raise `UsageError` if azure-identity is not installed."""
    if find_spec("azure") is None or find_spec("azure.identity") is None:
        raise UsageError("the providers for Azure need azure-identity; install it: pip install 'extdns[azure]'")


class NoTokens:
    """What a reader has that is used without calls."""

    def get(self) -> str:
        """Raise `CallFailedError`."""
        raise CallFailedError(FailureKind.CREDENTIALS, _ACTION, "", "offline", "")

    def forget(self) -> None:
        """Do nothing."""


class IdentityTokens:
    """Tokens of one identity."""

    def __init__(self, config: AzureConfig) -> None:
        self._scope = f"{config.find_cloud().audience}/.default"
        self.kind = config.choose_credential(os.environ)
        self._build = _choose_builder(config, self.kind)
        self._lock = Lock()
        self._get_token: Callable[[str], str] | None = None

    def get(self) -> str:
        """Return a token; azure-identity keeps it until shortly before it expires."""
        with self._lock:
            try:
                self._get_token = self._get_token or self._build()
                return self._get_token(self._scope)
            except Exception as exc:  # azure-identity documents several, and ValueError for what it is configured with
                detail = f"{sanitize(str(exc), _MAX_TEXT)} (with {self.kind})"
                raise CallFailedError(FailureKind.CREDENTIALS, _ACTION, "", type(exc).__name__, detail) from exc

    def forget(self) -> None:
        """Request a new token the next time."""
        with self._lock:
            self._get_token = None


def _choose_builder(config: AzureConfig, kind: CredentialKind) -> Callable[[], Callable[[str], str]]:
    def build() -> Callable[[str], str]:
        from azure.identity import (  # noqa: PLC0415 - takes 0.2 s, and nothing of it is needed before
            ClientSecretCredential,
            ManagedIdentityCredential,
            WorkloadIdentityCredential,
        )

        logging.getLogger("azure").setLevel(logging.CRITICAL)  # what it logs is in the exceptions, too
        options: dict[str, Any] = {
            "retry_total": _RETRIES,
            "connection_timeout": _TIMEOUT_S,
            "read_timeout": _TIMEOUT_S,
            "connection_verify": find_ca_bundle(os.environ, sdk_variable="REQUESTS_CA_BUNDLE") or True,
        }
        cloud = config.find_cloud()
        known: dict[str, Any] = {
            "authority": cloud.authority,
            "disable_instance_discovery": bool(config.activeDirectoryAuthorityHost),
        }
        credential: ClientSecretCredential | WorkloadIdentityCredential | ManagedIdentityCredential
        match kind:
            case CredentialKind.SECRET:
                credential = ClientSecretCredential(
                    config.tenantId, config.aadClientId, config.aadClientSecret, **known, **options
                )
            case CredentialKind.WORKLOAD:
                stated = {"tenant_id": config.tenantId, "client_id": config.aadClientId}
                known |= {key: value for key, value in stated.items() if value}
                credential = WorkloadIdentityCredential(**known, **options)
            case CredentialKind.MANAGED:
                credential = ManagedIdentityCredential(client_id=config.userAssignedIdentityID or None, **options)
        return lambda scope: credential.get_token(scope).token

    return build
