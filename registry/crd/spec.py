"""The registry `crd`, from its flags."""

from __future__ import annotations

from typing import Final

from registry.registry_spec import RegistrySpec, StoreContext
from registry.rows.registry import build_row_registry
from registry.rows.row import RowStore
from registry.txt.spec import list_ownership_names


def open_store(context: StoreContext) -> RowStore:
    """Open the objects."""
    from registry.crd.objects import OwnershipObjects

    api, own_namespace = context.connect_cluster()
    namespace = context.flags.crd_registry_namespace or own_namespace
    return OwnershipObjects(api, namespace, context.flags.txt_owner_id, context.can_write, context.now)


REGISTRY: Final = RegistrySpec(
    name="crd", build=build_row_registry, ownership_names=list_ownership_names, open_store=open_store
)
