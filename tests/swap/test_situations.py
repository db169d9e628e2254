"""The swap rule on handwritten situations: extdns changes no zone of external-dns, and fills empty zones alike."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Final

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.corpus.recordsets import normalize_record_sets
from tests.swap.first_pass import FirstPass, make_first_pass
from tests.swap.situation import Scratch, Situation
from tests.swap.situations import (
    ownership,
    record_types,
    routing_policies,
    several_namespaces,
    several_objects,
    sources,
    targets,
    zones,
)
from tests.swap.situations.ownership import ENCRYPTED, KEY

TOPICS: Final = (
    record_types,
    routing_policies,
    several_objects,
    several_namespaces,
    ownership,
    zones,
    targets,
    sources,
)
SITUATIONS: Final = tuple(situation for topic in TOPICS for situation in topic.SITUATIONS)
EACH: Final = [pytest.param(situation, id=situation.id) for situation in SITUATIONS]
MODES: Final = [pytest.param((), id="default"), pytest.param(("--compat",), id="compat")]


def test_there_are_at_least_60_swap_situations_with_unique_ids() -> None:
    assert len(SITUATIONS) >= 60
    assert len({situation.id for situation in SITUATIONS}) == len(SITUATIONS)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("situation", EACH)
def test_extdns_changes_nothing_in_zones_on_which_external_dns_converged(
    situation: Situation, mode: tuple[str, ...], tmp_path: Path
) -> None:
    found = run(situation, mode, tmp_path, only_unrequested=False)
    assert (found.losses, found.creates) == (list(situation.losses), list(situation.creates))
    if not (situation.creates or situation.losses):
        assert found.zones == expected_zones(situation)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("situation", EACH)
def test_from_empty_zones_extdns_creates_what_external_dns_would_create(
    situation: Situation, mode: tuple[str, ...], tmp_path: Path
) -> None:
    if situation.scratch is Scratch.DIFFERENT or (situation.scratch is Scratch.SAME_WITH_COMPAT and not mode):
        return
    assert run(situation, mode, tmp_path, only_unrequested=True).zones == expected_zones(situation)


@pytest.mark.parametrize("mode", MODES)
def test_an_encrypted_ownership_record_decrypts_to_the_text_that_external_dns_expects(
    mode: tuple[str, ...], tmp_path: Path
) -> None:
    situation = next(situation for situation in SITUATIONS if situation.id == "an encrypted ownership record")
    (records,) = run(situation, mode, tmp_path, only_unrequested=True).zones.values()
    ((value,),) = (record["ResourceRecords"] for record in records if record["Type"] == "TXT")
    assert decrypt(value) == decrypt(ENCRYPTED)
    assert value != ENCRYPTED, "each encryption uses a new nonce"


def decrypt(value: str) -> str:
    """Decrypt an ownership record as external-dns does, and return its text (docs/spec/plan.md 3.2.4)."""
    encrypted = base64.b64decode(value.strip('"'), validate=True)
    return gzip.decompress(AESGCM(KEY.encode()).decrypt(encrypted[:12], encrypted[12:], None)).decode()


def run(situation: Situation, mode: tuple[str, ...], folder: Path, *, only_unrequested: bool) -> FirstPass:
    """Return the plan and result of the first full pass on *situation*."""
    manifests = {"apiVersion": "v1", "kind": "List", "items": situation.objects}
    (folder / "objects.json").write_text(json.dumps(manifests), encoding="utf-8")
    zones = situation.list_zones(only_unrequested=only_unrequested)
    records = [record for zone in situation.list_zones() for record in zone["records"]]
    checks = {record["HealthCheckId"] for record in records if "HealthCheckId" in record}
    policy = () if any(flag.startswith("--policy") for flag in situation.flags) else ("--policy=sync",)
    return make_first_pass(
        *situation.flags, *policy, *mode, f"--manifests={folder}", environ={}, zones=zones, health_checks=checks
    )


def expected_zones(situation: Situation) -> dict[str, list[object]]:
    """Return all record sets of *situation* by zone id, normalized and sorted."""
    return {zone["zone_id"]: list(normalize_record_sets(zone["records"])) for zone in situation.list_zones()}
