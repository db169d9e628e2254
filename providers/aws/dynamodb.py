"""Call DynamoDB, with the credentials of the provider `aws`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, Final

from providers.aws.client import build_config, open_session, translate_errors
from providers.aws.flags import AwsFlags
from providers.aws.settings import AwsAccount
from providers.aws.spec import read_external_id
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, CallFailedError, CallOptions, FailureKind, measure_call

_WRITE: Final = "TransactWriteItems"
_METHODS: Final = {
    "BatchGetItem": "batch_get_item",
    "DescribeTable": "describe_table",
    "Scan": "scan",
    _WRITE: "transact_write_items",
}
_MAX_ATTEMPTS: Final = 10  # as for Route 53


def connect(flags: AwsFlags, calls: CallOptions, region: str) -> Callable[..., dict[str, Any]]:
    """Return what makes one call of DynamoDB, from the operation and its parameters; it raises `CallFailedError`.

    A profile is not used, as with external-dns. *region* is "" for that of the environment.
    """
    account = AwsAccount(role=flags.aws_assume_role, external_id=read_external_id(flags), calls=calls)
    lock = Lock()

    @cache
    def open_clients() -> tuple[Any, Any]:
        """Return the client for reading, which retries, and the one for writing, which does not."""
        session: Any = open_session(account)
        reader, writer = (
            session.client("dynamodb", region_name=region or None, config=build_config(attempts, timeouts_s))
            for attempts, timeouts_s in (
                (flags.aws_api_retries or _MAX_ATTEMPTS, DEFAULT_TIMEOUTS_S),
                (1, calls.write_timeouts_s),
            )
        )
        writer.meta.events.register(
            f"before-send.dynamodb.{_WRITE}", lambda **_: calls.require_can_write(f"dynamodb:{_WRITE}")
        )
        return reader, writer

    def call(operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's types
        context = f"table {_find_table(parameters)}"
        try:
            with measure_call(calls.on_call, operation), translate_errors("dynamodb", operation, context):
                with lock:
                    client = open_clients()[operation == _WRITE]
                answer: dict[str, Any] = getattr(client, _METHODS[operation])(**parameters)
                return answer
        except CallFailedError as failed:
            if failed.kind is FailureKind.CREDENTIALS:
                open_clients.cache_clear()  # credentials may exist by the next call
            raise

    return call


def _find_table(parameters: dict[str, Any]) -> str:
    """Return the name of the table that a call with *parameters* is about."""
    for action in parameters.get("TransactItems", ()):
        return str(next(iter(action.values()))["TableName"])
    return str(parameters.get("TableName") or next(iter(parameters["RequestItems"])))
