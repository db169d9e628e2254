"""Call DynamoDB, with the credentials of the provider `aws`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from providers.aws.client import build_config, open_session, translate_errors
from providers.aws.flags import AwsFlags
from providers.aws.settings import AwsAccount
from providers.aws.spec import read_external_id
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, CallOptions, measure_call

_WRITE = "TransactWriteItems"


def connect(flags: AwsFlags, calls: CallOptions, region: str) -> Callable[..., dict[str, Any]]:
    """Return what makes one call of DynamoDB, from the operation and its parameters; it raises `CallFailedError`.

    A profile is not used, as with external-dns. *region* is "" for that of the environment.

    Raises:
        UsageError: the file with the external id cannot be read.
    """
    account = AwsAccount(role=flags.aws_assume_role, external_id=read_external_id(flags), calls=calls)
    session: Any = open_session(account)

    def build_client(attempts: int, timeouts_s: tuple[float, float]) -> Any:  # noqa: ANN401 - we have the SDK's types for Route 53 only
        return session.client("dynamodb", region_name=region or None, config=build_config(attempts, timeouts_s))

    reader, writer = build_client(flags.aws_api_retries or 10, DEFAULT_TIMEOUTS_S), build_client(1, calls.write_timeouts_s)
    writer.meta.events.register(
        f"before-send.dynamodb.{_WRITE}", lambda **_: calls.require_can_write(f"dynamodb:{_WRITE}")
    )

    def call(operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's types
        client, context = (writer if operation == _WRITE else reader), f"table {_find_table(parameters)}"
        with measure_call(calls.on_call, operation), translate_errors("dynamodb", operation, context):
            answer: dict[str, Any] = client._make_api_call(operation, parameters)  # noqa: SLF001
            return answer

    return call


def _find_table(parameters: dict[str, Any]) -> str:
    """Return the name of the table that a call with *parameters* is about."""
    for action in parameters.get("TransactItems", ()):
        return next(iter(action.values()))["TableName"]
    return parameters.get("TableName") or next(iter(parameters["RequestItems"]))
