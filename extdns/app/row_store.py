"""Open the store in which the registry keeps its rows, and let reader and writer use it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from extdns.app.registry import load_registry
from extdns.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.config import Config
    from extdns.controller.write_gate import WriteGate
    from extdns.ports import ZoneReader, ZoneWriter
    from providers.common.api_calls import CallOptions
    from registry.registry_spec import ObjectsApi
    from registry.rows.row import RowStore


def open_row_store(config: Config, calls: CallOptions) -> RowStore | None:
    """Open the store of the rows of `--registry`; None if the records of the zones state their owners."""
    open_store = load_registry(config.registry.name).open_store
    if open_store is None:
        return None
    from registry.registry_spec import StoreContext

    return open_store(
        StoreContext(
            flags=config.registry,
            connect_dynamodb=partial(_connect_dynamodb, config, calls),
            connect_cluster=partial(_connect_cluster, config),
            can_write=calls.can_write,
            now=lambda: datetime.now(UTC),
        )
    )


def add_rows(
    config: Config, reader: ZoneReader, writer: ZoneWriter | None, calls: CallOptions, gate: WriteGate | None
) -> tuple[ZoneReader, ZoneWriter | None]:
    """Return *reader* and *writer* with the rows of `--registry`, if it has rows."""
    store = open_row_store(config, calls)
    if store is None:
        return reader, writer
    from registry.rows.service import RowService

    service = RowService(
        reader,
        writer,
        store,
        owner=config.registry.txt_owner_id,
        managed_types=config.plan.find_managed_types(),
        read_term=gate.read_term if gate else lambda: 0,
    )
    return service, service if writer else None


def _connect_dynamodb(config: Config, calls: CallOptions) -> Callable[..., dict[str, Any]]:
    from providers.aws.dynamodb import connect
    from providers.aws.spec import PROVIDER
    from providers.common.api_calls import CallFailedError, FailureKind
    from registry.dynamodb.table import TransactionCancelledError

    send = connect(PROVIDER.find_flags(config), calls, config.registry.dynamodb_region)

    def call(operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's types
        try:
            return send(operation, **parameters)
        except CallFailedError as failed:
            reasons = (getattr(failed.__cause__, "response", None) or {}).get("CancellationReasons")
            if reasons is not None:
                raise TransactionCancelledError(str(failed), reasons) from failed
            if failed.kind is FailureKind.REFUSED and failed.code != "ResourceNotFoundException":  # no such table
                raise RefusedError(str(failed)) from failed
            raise

    return call


def _connect_cluster(config: Config) -> tuple[ObjectsApi, str]:
    from extdns.app.cluster import connect_api_server, find_own_namespace

    api = connect_api_server(config.cluster)
    return api, find_own_namespace(api.namespace)
