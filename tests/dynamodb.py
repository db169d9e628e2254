"""Tables of DynamoDB in moto."""

from __future__ import annotations

import os
from typing import Any

import boto3


def connect(url: str) -> dict[str, str]:
    """Return the environment in which the SDK calls moto at *url*."""
    return {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": url,
    }


def create_table(url: str, name: str, keys: str = "k:S") -> Any:  # noqa: ANN401 - the SDK has no types
    """Create the table *name*, unless it is "", and return a client. *keys* has the hash key, then the range key."""
    client: Any = boto3.client(
        "dynamodb", endpoint_url=url, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="y"
    )
    pairs = [key.split(":") for key in keys.split()]
    if name:
        client.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": kind} for key, kind in pairs],
            KeySchema=[
                {"AttributeName": key, "KeyType": role}
                for (key, _), role in zip(pairs, ("HASH", "RANGE"), strict=False)
            ],
            BillingMode="PAY_PER_REQUEST",
        )
    return client
