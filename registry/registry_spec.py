"""What a registry is: how it is built, the names of its ownership records, and the store of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Protocol

from extdns.flags.records import RegistryFlags
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.ports import Registry
from registry.rows.row import RowStore


class RegistryContext(Value, frozen=True, kw_only=True):
    """What a registry is built with. It does no I/O itself.

    Attributes:
        managed_types: the record types that can be ours.
        compat: whether records may be created without ownership records, as external-dns does.
        read_secret: returns the value of a secret flag from its name, its value, and the path of its file; raises
            `UsageError`.
        random_bytes: returns random bytes that nobody can guess.
    """

    flags: RegistryFlags
    managed_types: frozenset[str]
    compat: bool
    read_secret: Callable[[str, str, str], str]
    random_bytes: Callable[[int], bytes]


class ObjectsApi(Protocol):
    """Sends requests to the API server; raises `ApiError`."""

    def send(
        self,
        method: str,
        path: str,
        query: dict[str, str] | None = None,
        body: bytes | None = None,
        content_type: str = ...,
    ) -> bytes:
        """Send a request, and return the body of the response."""
        ...


class StoreContext(Value, frozen=True, kw_only=True):
    """What a store of rows is opened with.

    Attributes:
        connect_dynamodb: returns what makes one call of DynamoDB, from the operation and its parameters by name.
        connect_cluster: returns the API server, and the namespace of this process.
        can_write: returns whether this process may write now.
        now: returns the time of day in UTC.
    """

    flags: RegistryFlags
    connect_dynamodb: Callable[[], Callable[..., dict[str, Any]]]
    connect_cluster: Callable[[], tuple[ObjectsApi, str]]
    can_write: Callable[[], bool]
    now: Callable[[], datetime]


class RegistrySpec(Value, frozen=True, kw_only=True):
    """A registry of `--registry`.

    Attributes:
        name: the value of `--registry`, also the name of the package, with _ for -.
        ownership_names: return the names of the ownership records that a record of a name and type can have; None if
            the registry writes none.
        owns_names: whether an ownership record covers all records of its name, so that they have one resource.
        open_store: open the store of the rows that state the owners; None if the records of the zones do.
    """

    name: str
    build: Callable[[RegistryContext], Registry]
    ownership_names: Callable[[RegistryFlags, DnsName, str], Iterable[str]] | None = None
    owns_names: bool = False
    open_store: Callable[[StoreContext], RowStore] | None = None
