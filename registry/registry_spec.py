"""What a registry is: how it is built, and the names of its ownership records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from extdns.flags.records import RegistryFlags
from extdns.model.dns_name import DnsName
from extdns.model.value import Value
from extdns.ports import Registry


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


class RegistrySpec(Value, frozen=True, kw_only=True):
    """A registry of `--registry`.

    Attributes:
        name: the value of `--registry`, also the name of the package, with _ for -.
        ownership_names: return the names of the ownership records that a record of a name and type can have; None if
            the registry writes none.
    """

    name: str
    build: Callable[[RegistryContext], Registry]
    ownership_names: Callable[[RegistryFlags, DnsName, str], Iterable[str]] | None = None
