"""extdns with Route 53 and the usual kinds of credentials. STS is simulated by moto, Route 53 by the strict fake."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.route53.server import Route53
from tests.objects import service
from tests.program.process import once

SERVICE: Final = json.dumps(service("web", "web.acme.test"))
FLAGS: Final = ("--source=service", "--provider=aws", "--manifests=-", "--once", "--metrics-address=127.0.0.1:0")
ROLE: Final = "arn:aws:iam::123456789012:role/extdns"
STRANGER: Final = "999999999999"
PUBLISHED: Final = ["a-web.acme.test.", "web.acme.test."]


@pytest.fixture
def fake() -> Iterator[Route53]:
    """Run the strict Route 53. Access keys that STS did not issue belong to an account without zones."""
    with Route53(accounts={"AKIDBASE": STRANGER, "AKIDOTHER": "111122223333"}) as running:
        yield running


def variables(fake: Route53, sts: str = "http://127.0.0.1:9", **more: str) -> dict[str, str]:
    """Return the environment of a pod, with the endpoints of both services."""
    without = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    files = {"AWS_ENDPOINT_URL_ROUTE_53": fake.url, "AWS_ENDPOINT_URL_STS": sts, "AWS_EC2_METADATA_DISABLED": "true"}
    return {**without, **files, "AWS_REGION": "eu-central-1", **more}


def list_record_names(fake: Route53, zone_id: str) -> list[str]:
    return [record.name for record in fake.records(zone_id)]


def test_a_pod_with_a_web_identity_token_publishes_without_further_configuration(
    fake: Route53, moto: str, tmp_path: Path
) -> None:
    zone_id = fake.add_zone("acme.test")
    token = tmp_path / "token"
    token.write_text("header.payload.signature")
    env = variables(fake, moto, AWS_ROLE_ARN=ROLE, AWS_WEB_IDENTITY_TOKEN_FILE=str(token))
    done = once(*FLAGS, stdin=SERVICE, env=env)
    assert done.returncode == 0, done.stderr
    assert list_record_names(fake, zone_id) == PUBLISHED


def test_aws_assume_role_uses_the_credentials_of_the_environment_to_assume_the_role(fake: Route53, moto: str) -> None:
    zone_id = fake.add_zone("acme.test")
    env = variables(fake, moto, AWS_ACCESS_KEY_ID="AKIDBASE", AWS_SECRET_ACCESS_KEY="s")
    role = (f"--aws-assume-role={ROLE}", "--aws-assume-role-external-id=hush-hush")
    done = once(*FLAGS, *role, stdin=SERVICE, env=env)
    assert done.returncode == 0, done.stderr
    assert list_record_names(fake, zone_id) == PUBLISHED
    assert "hush-hush" not in done.stderr + done.stdout


def test_two_aws_profiles_publish_into_the_zones_of_two_accounts(fake: Route53, tmp_path: Path) -> None:
    one = fake.add_zone("acme.test")
    other = fake.add_zone("sub.acme.test", account="111122223333")
    credentials_file = tmp_path / "credentials"
    credentials_file.write_text(
        "[one]\naws_access_key_id=AKIDONE\naws_secret_access_key=s\n"
        "[two]\naws_access_key_id=AKIDOTHER\naws_secret_access_key=s\n"
    )
    env = variables(fake, AWS_SHARED_CREDENTIALS_FILE=str(credentials_file))
    both = json.dumps(service("web", "web.acme.test,web.sub.acme.test"))
    done = once(*FLAGS, "--aws-profile=one", "--aws-profile=two", stdin=both, env=env)
    assert done.returncode == 0, done.stderr
    assert list_record_names(fake, one) == PUBLISHED
    assert list_record_names(fake, other) == ["a-web.sub.acme.test.", "web.sub.acme.test."]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        pytest.param({}, "NoCredentialsError: Unable to locate credentials: none in AWS_ACCESS_KEY_ID, ", id="none"),
        pytest.param(
            {"AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere/token"}, "/nowhere/token", id="no-token"
        ),
    ],
)
def test_missing_credentials_are_reported_with_the_api_call_that_needs_them(
    fake: Route53, more: dict[str, str], words: str
) -> None:
    done = once(*FLAGS, stdin=SERVICE, env=variables(fake, **more))
    assert done.returncode == 1
    assert "route53:ListHostedZones" in done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
