"""The registry of `--registry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import Registry


def registry(config: Config) -> Registry:
    """The registry of `--registry`."""
    chosen = config.registry
    match chosen.name:
        case "noop":
            from registry.noop import NoopRegistry

            return NoopRegistry()
        case _:
            from registry.txt.naming import Naming
            from registry.txt.registry import TxtRegistry

            return TxtRegistry(
                owner=chosen.txt_owner_id,
                naming=Naming(
                    prefix=chosen.txt_prefix,
                    suffix=chosen.txt_suffix,
                    wildcard_replacement=chosen.txt_wildcard_replacement,
                ),
                managed_types=frozenset(config.plan.managed_record_types) - frozenset(config.plan.exclude_record_types),
                migrate_from=chosen.migrate_from_txt_owner,
                unmarked_creates=config.control.compat,
            )
