"""The registry `txt`, from its flags."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from extdns.flags.records import RegistryFlags
from extdns.model.dns_name import DnsName
from registry.registry_spec import RegistryContext, RegistrySpec
from registry.txt.naming import Naming
from registry.txt.ownership_index import OwnershipTextCodec, PlainTextCodec, TxtSettings
from registry.txt.registry import TxtRegistry


def build(context: RegistryContext) -> TxtRegistry:
    """Build the registry.

    Raises:
        UsageError: the owner id or a key is invalid, or the file of the keys cannot be read.
    """
    return TxtRegistry(
        TxtSettings(
            owner=context.flags.txt_owner_id,
            previous_owner=context.flags.migrate_from_txt_owner,
            naming=_build_naming(context.flags),
            managed_types=context.managed_types,
            codec=build_codec(context),
            creates_without_ownership=context.compat,
        )
    )


def _build_naming(flags: RegistryFlags) -> Naming:
    replacement = flags.txt_wildcard_replacement
    return Naming(
        prefix=flags.txt_prefix,
        suffix=flags.txt_suffix,
        wildcard_replacement="" if replacement == "*" else replacement,
    )


def build_codec(context: RegistryContext) -> OwnershipTextCodec:
    """Build the codec of ownership records. With keys, encrypted ones can be read even if new ones are plain text.

    Raises:
        UsageError: a key is invalid, or the file of the keys cannot be read.
    """
    flags = context.flags
    written = "\n".join(flags.txt_encrypt_aes_key)
    keys = context.read_secret("txt-encrypt-aes-key", written, flags.txt_encrypt_aes_key_file)
    if not keys and not flags.txt_encrypt_enabled:
        return PlainTextCodec()
    from registry.txt.encryption import NONCE_BYTES, EncryptedTextCodec, parse_keys

    return EncryptedTextCodec(
        keys=parse_keys(keys), nonce=partial(context.random_bytes, NONCE_BYTES), encrypts=flags.txt_encrypt_enabled
    )


def list_ownership_names(flags: RegistryFlags, name: DnsName, rtype: str) -> Iterator[str]:
    """Yield the names of the ownership records of *name* and *rtype*, in all naming formats."""
    return (found for _, found in _build_naming(flags).build_all_names(name, rtype, alias=True))


REGISTRY: Final = RegistrySpec(name="txt", build=build, ownership_names=list_ownership_names)
