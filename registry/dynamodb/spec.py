"""The registry `dynamodb`, from its flags."""

from __future__ import annotations

from typing import Final

from registry.registry_spec import RegistrySpec, StoreContext
from registry.rows.registry import build_row_registry
from registry.rows.row import RowStore
from registry.txt.spec import list_ownership_names


def open_store(context: StoreContext) -> RowStore:
    """Open the table."""
    from registry.dynamodb.table import OwnershipTable

    return OwnershipTable(context.flags.dynamodb_table, context.connect_dynamodb())


REGISTRY: Final = RegistrySpec(
    name="dynamodb", build=build_row_registry, ownership_names=list_ownership_names, open_store=open_store
)
