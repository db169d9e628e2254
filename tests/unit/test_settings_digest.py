"""Settings that change the settings digest, and settings that do not."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.app import engine_settings as module
from extdns.app.engine_settings import compute_settings_digest
from extdns.config import parse

START: Final = ["--source=service", "--source=ingress", "--provider=inmemory"]


def compute_digest(*flags: str) -> str:
    """Return the settings digest with *flags* added to the required ones."""
    return compute_settings_digest(parse([*START, *flags], {}))


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param("--source=pod", id="sources"),
        pytest.param("--label-filter=a=b", id="filters"),
        pytest.param("--annotation-prefix=x.test/", id="annotation-prefix"),
        pytest.param("--domain-filter=a.test", id="domain-filters"),
        pytest.param("--managed-record-types=A", id="managed-types"),
        pytest.param("--namespace=shop", id="namespace"),
        pytest.param("--txt-prefix=x-", id="naming-of-ownership-records"),
        pytest.param("--policy=upsert-only", id="policy"),
    ],
)
def test_the_settings_digest_changes_with_each_flag_that_decides_which_records_are_requested(flag: str) -> None:
    assert compute_digest(flag) != compute_digest()


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param("--interval=5m", id="interval"),
        pytest.param("--log-level=debug", id="log"),
        pytest.param("--dry-run", id="dry-run"),
        pytest.param("--delete-grace-period=5m", id="grace"),
        pytest.param("--kubeconfig=/k", id="kubeconfig"),
        pytest.param("--manifests=-", id="manifests"),
        pytest.param("--label-filter=", id="explicit-default"),
    ],
)
def test_the_settings_digest_does_not_change_with_other_flags(flag: str) -> None:
    assert compute_digest(flag) == compute_digest()


def test_the_settings_digest_does_not_depend_on_the_order_of_arguments() -> None:
    swapped = parse(["--provider=inmemory", "--source=ingress", "--source=service"], {})
    assert compute_settings_digest(swapped) == compute_digest()


def test_the_settings_digest_changes_with_the_version_of_the_interpretation_of_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(compute_digest()) == 16
    before = compute_digest()
    monkeypatch.setattr(module, "INTERPRETATION_VERSION", module.INTERPRETATION_VERSION + 1)
    assert compute_digest() != before
