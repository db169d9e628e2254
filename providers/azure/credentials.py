"""Tokens for Azure Resource Manager, from azure-identity."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from extdns.errors import UsageError, sanitize
from providers.azure.configuration import AzureConfig, CredentialKind
from providers.common.api_calls import CallFailedError, FailureKind
from providers.common.certificates import find_ca_bundle

_RETRIES: Final = 2
_TIMEOUT_S: Final = 10.0
_MAX_TEXT: Final = 500


def require_identity() -> None:
    """Raise `UsageError` if azure-identity is not installed."""
    if find_spec("azure") is None or find_spec("azure.identity") is None:
        raise UsageError("the providers for Azure need azure-identity; install it: pip install 'extdns[azure]'")


class IdentityTokens:
    """Tokens of one identity; safe from any thread. Raises only `CallFailedError`."""

    def __init__(self, config: AzureConfig) -> None:
        self._scope = f"{config.find_cloud().audience}/.default"
        self.kind = config.choose_credential(os.environ)
        self._config = config
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
                raise CallFailedError(FailureKind.CREDENTIALS, "GetToken", "", type(exc).__name__, detail) from exc

    def forget(self) -> None:
        """Request a new token the next time, because the service did not accept the last one."""
        with self._lock:
            self._get_token = None

    def _build(self) -> Callable[[str], str]:
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
        config = self._config
        known: dict[str, Any] = {
            "authority": config.find_cloud().authority,
            "disable_instance_discovery": bool(config.activeDirectoryAuthorityHost),
        }
        credential: ClientSecretCredential | WorkloadIdentityCredential | ManagedIdentityCredential
        match self.kind:
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
