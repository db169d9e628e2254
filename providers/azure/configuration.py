"""The configuration file azure.json, as external-dns and the programs of AKS use it, and the clouds that it names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import fields, replace

from extdns.errors import UsageError, escape_unprintable
from extdns.masking import add_secrets
from extdns.model.value import Value
from providers.azure.flags import AzureFlags

_WORKLOAD_VARIABLES: Final = ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE")
_PLACEHOLDER: Final = "msi"
_MAX_BYTES: Final = 1 << 20


class Cloud(Value, frozen=True, kw_only=True):
    """Where a cloud is: the authority that gives tokens, Azure Resource Manager, and for whom tokens are."""

    authority: str = ""
    url: str = ""
    audience: str = ""


_PUBLIC: Final = Cloud(authority="https://login.microsoftonline.com", url="https://management.azure.com")
_GOVERNMENT: Final = Cloud(authority="https://login.microsoftonline.us", url="https://management.usgovcloudapi.net")
_CHINA: Final = Cloud(authority="https://login.chinacloudapi.cn", url="https://management.chinacloudapi.cn")
_STACK: Final = "AzureStackCloud"
_CLOUDS: Final = {
    "AzureCloud": _PUBLIC,
    "AzurePublicCloud": _PUBLIC,
    "AzureUSGovernment": _GOVERNMENT,
    "AzureUSGovernmentCloud": _GOVERNMENT,
    "AzureChinaCloud": _CHINA,
    _STACK: Cloud(),
}


class CredentialKind(StrEnum):
    """From whom a token is requested."""

    SECRET = "a client secret"  # noqa: S105 - the name of a kind
    WORKLOAD = "workload identity"
    MANAGED = "a managed identity"


class AzureConfig(Value, frozen=True, kw_only=True):
    """The keys of the file, whose case does not matter. *location* is not used."""

    cloud: str = ""
    tenantId: str = ""  # noqa: N815 - the names of the keys
    subscriptionId: str = ""  # noqa: N815
    resourceGroup: str = ""  # noqa: N815
    location: str = ""
    aadClientId: str = ""  # noqa: N815
    aadClientSecret: str = ""  # noqa: N815
    useManagedIdentityExtension: bool = False  # noqa: N815
    useWorkloadIdentityExtension: bool = False  # noqa: N815
    userAssignedIdentityID: str = ""  # noqa: N815
    activeDirectoryAuthorityHost: str = ""  # noqa: N815
    resourceManagerAudience: str = ""  # noqa: N815
    resourceManagerEndpoint: str = ""  # noqa: N815

    def find_cloud(self) -> Cloud:
        """Return the cloud; each of the three keys with an address overrides it."""
        named = {name.lower(): cloud for name, cloud in _CLOUDS.items()} | {"": _PUBLIC}
        found = named.get(self.cloud.lower())
        if found is None:
            raise UsageError(f"cloud is {self.cloud!r}; allowed: {', '.join(_CLOUDS)}")
        url = (self.resourceManagerEndpoint or found.url).rstrip("/")
        authority = self.activeDirectoryAuthorityHost or found.authority
        if not url or not authority:
            raise UsageError(f"{_STACK} needs activeDirectoryAuthorityHost and resourceManagerEndpoint")
        return Cloud(
            authority=authority, url=url, audience=(self.resourceManagerAudience or found.url or url).rstrip("/")
        )

    def choose_credential(self, environ: Mapping[str, str]) -> CredentialKind:
        """Return from whom a token is requested, in the order of external-dns."""
        stated = {self.aadClientId, self.aadClientSecret}
        if not stated & {"", _PLACEHOLDER}:
            if not self.tenantId:
                raise UsageError("aadClientId and aadClientSecret need tenantId")
            return CredentialKind.SECRET
        if self.useWorkloadIdentityExtension:
            client, tenant, file = _WORKLOAD_VARIABLES
            found = {client: self.aadClientId or environ.get(client), tenant: self.tenantId or environ.get(tenant)}
            if missing := [name for name, value in {**found, file: environ.get(file)}.items() if not value]:
                raise UsageError(
                    f"useWorkloadIdentityExtension is true, but {', '.join(missing)} is not set; label the pod "
                    "azure.workload.identity/use=true, and annotate its ServiceAccount with the client id"
                )
            return CredentialKind.WORKLOAD
        if self.useManagedIdentityExtension:
            return CredentialKind.MANAGED
        raise UsageError(
            "no credentials; give aadClientId and aadClientSecret, useWorkloadIdentityExtension, "
            "or useManagedIdentityExtension"
        )


_OF_AKS: Final = re.compile(
    "(cloudProvider|disableOutbound|excludeMaster|loadBalancer|maximumLoadBalancer|networkResource|primary|provider"
    "|routeTable|securityGroup|subnet|useInstance|vm|vnet).*",
    re.IGNORECASE,
)
"""Keys that other programs of AKS read."""

_NAMES: Final = {field.name.lower(): field.name for field in fields(AzureConfig)}


def read_config(flags: AzureFlags) -> AzureConfig:
    """Return the content of the file, with what the flags override."""
    known = {
        name: value for key, value in _read_file(flags.azure_config_file).items() if (name := _NAMES.get(key.lower()))
    }
    try:
        found = msgspec.convert({key: value for key, value in known.items() if value is not None}, AzureConfig)
    except msgspec.ValidationError as exc:
        raise UsageError(str(exc)) from exc
    add_secrets((found.aadClientSecret,))
    found = replace(
        found,
        subscriptionId=flags.azure_subscription_id or found.subscriptionId,
        resourceGroup=flags.azure_resource_group or found.resourceGroup,
        userAssignedIdentityID=flags.azure_user_assigned_identity_client_id or found.userAssignedIdentityID,
    )
    for key, other in (("subscriptionId", "subscription-id"), ("resourceGroup", "resource-group")):
        if not getattr(found, key):
            raise UsageError(f"{key} is missing; add it, or give --azure-{other}")
    return found


def find_unknown_keys(path: str) -> tuple[str, ...]:
    """Return the keys of the file at *path* that nobody reads, printable, sorted; () if it cannot be read."""
    try:
        found = _read_file(path)
    except UsageError:
        return ()
    return tuple(
        sorted(escape_unprintable(key) for key in found if key.lower() not in _NAMES and not _OF_AKS.fullmatch(key))
    )


def _read_file(path: str) -> dict[str, Any]:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        found = json.loads(content) if len(content) <= _MAX_BYTES else None
    except OSError as exc:
        raise UsageError(f"the file cannot be read: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"the file is not JSON: {exc}") from exc
    if not isinstance(found, dict):
        raise UsageError(f"the file is not a JSON object of at most {_MAX_BYTES} bytes")
    return found
