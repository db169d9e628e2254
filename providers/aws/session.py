"""Sessions of the SDK: where credentials, certificates and the region are found, and how services are called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import botocore.exceptions as sdk
import botocore.session
from boto3.session import Session
from botocore.config import Config
from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials

from providers.aws.timing import measure
from providers.remote.trust import bundle
from providers.remote.writing import QUICK_S

if TYPE_CHECKING:
    from providers.aws.settings import Access

_US: Final = "extdns"
_AGENT: Final = f"{_US} Botocore/{botocore.__version__}"
_REGION: Final = "us-east-1"  # Route 53 is everywhere; a region decides no more than the partition
_ATTEMPTS: Final = 3
_CONNECTIONS: Final = 16


def session_of(access: Access) -> Session:
    """A session of the account that *access* leads to; the credentials are looked for by its first call."""
    session = _found(access)
    if access.role:
        session.register_component("credential_provider", _AssumedRole(_found(access), access))
    return Session(botocore_session=session)


def _found(access: Access) -> botocore.session.Session:
    session = botocore.session.Session(profile=access.profile or None)
    measure(session, access.heard)
    # Pods in EKS have it set; the SDKs for other languages read it, this one reads AWS_DEFAULT_REGION alone.
    region = os.environ.get("AWS_REGION") or session.get_config_variable("region") or _REGION
    session.set_config_variable("region", region)
    if not session.get_config_variable("ca_bundle") and (file := bundle(os.environ, before="AWS_CA_BUNDLE")):
        session.set_config_variable("ca_bundle", file)
    return session


class _AssumedRole:
    """Gives the credentials of a role: got when they are first needed, and again before they expire."""

    def __init__(self, source: botocore.session.Session, access: Access) -> None:
        """Assume the role with the credentials of *source*."""
        self._source = source
        self._access = access

    def load_credentials(self) -> DeferredRefreshableCredentials:
        """What the SDK asks of whoever gives credentials."""
        source = self._source.get_credentials()
        if source is None:
            raise sdk.NoCredentialsError
        extra = {"RoleSessionName": _US}
        if self._access.external_id:
            extra["ExternalId"] = self._access.external_id
        fetcher = AssumeRoleCredentialFetcher(self._source.create_client, source, self._access.role, extra_args=extra)
        return DeferredRefreshableCredentials(method="assume-role", refresh_using=fetcher.fetch_credentials)


def reader(session: Session, service: str) -> Any:  # noqa: ANN401 - the SDK's types that we have know Route 53 alone
    """A client of another *service*, which is asked little and seldom."""
    ask: Any = session.client
    return ask(service, config=configured(_ATTEMPTS, QUICK_S))


def configured(attempts: int, timeouts_s: tuple[float, float]) -> Config:
    """How often a call is tried, and how long it may take to connect and to be answered."""
    connect_s, read_s = timeouts_s
    return Config(
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=connect_s,
        read_timeout=read_s,
        max_pool_connections=_CONNECTIONS,
        user_agent=_AGENT,  # else made anew, in two dozen parts, for every call
    )
