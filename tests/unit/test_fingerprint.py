"""Which settings make another fingerprint."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.app import fingerprint as module
from extdns.app.fingerprint import fingerprint
from extdns.config import parse

START: Final = ["--source=service", "--source=ingress", "--provider=inmemory"]


def of(*flags: str) -> str:
    return fingerprint(parse([*START, *flags], {}))


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param("--source=pod", id="sources"),
        pytest.param("--label-filter=a=b", id="filters"),
        pytest.param("--annotation-prefix=x.test/", id="annotation-prefix"),
        pytest.param("--domain-filter=a.test", id="domain-filters"),
        pytest.param("--managed-record-types=A", id="managed-types"),
        pytest.param("--namespace=shop", id="namespace"),
        pytest.param("--txt-prefix=x-", id="naming-of-marks"),
        pytest.param("--policy=upsert-only", id="policy"),
    ],
)
def test_what_decides_what_is_wanted_makes_another(flag: str) -> None:
    assert of(flag) != of()


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param("--interval=5m", id="interval"),
        pytest.param("--log-level=debug", id="log"),
        pytest.param("--dry-run", id="dry-run"),
        pytest.param("--delete-grace-period=5m", id="grace"),
        pytest.param("--kubeconfig=/k", id="the-way-to-the-cluster"),
        pytest.param("--manifests=-", id="manifests"),
        pytest.param("--label-filter=", id="a-default-that-is-written-out"),
    ],
)
def test_the_rest_does_not(flag: str) -> None:
    assert of(flag) == of()


def test_neither_does_the_order_of_arguments() -> None:
    swapped = parse(["--provider=inmemory", "--source=ingress", "--source=service"], {})
    assert fingerprint(swapped) == of()


def test_it_is_the_same_in_the_next_process_unless_the_reading_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(of()) == 16
    before = of()
    monkeypatch.setattr(module, "READING", module.READING + 1)
    assert of() != before
