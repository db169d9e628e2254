"""Call DynamoDB, with the credentials of the provider `aws`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from providers.aws.client import ServiceClients
from providers.aws.flags import AwsFlags
from providers.aws.settings import AwsAccount
from providers.aws.spec import read_external_id
from providers.common.api_calls import CallOptions

_WRITE: Final = "TransactWriteItems"


def connect(flags: AwsFlags, calls: CallOptions, region: str) -> Callable[..., dict[str, Any]]:
    """Return what makes one call of DynamoDB, from the operation and its parameters; it raises `CallFailedError`.

    A profile is not used, as with external-dns. *region* is "" for that of the environment.
    """
    account = AwsAccount(role=flags.aws_assume_role, external_id=read_external_id(flags), calls=calls)
    clients = ServiceClients(account, "dynamodb", flags.aws_api_retries, write=_WRITE, region=region)

    def call(operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's types
        return clients.send(operation, f"table {_find_table(parameters)}", parameters)

    return call


def _find_table(parameters: dict[str, Any]) -> str:
    for action in parameters.get("TransactItems", ()):
        return str(next(iter(action.values()))["TableName"])
    return str(parameters.get("TableName") or next(iter(parameters["RequestItems"])))
