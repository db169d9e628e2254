"""The corpus through `extdns webhook`: the zones equal those without it, but for what the protocol cannot express."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.corpus import product
from tests.corpus.case import Case, load, names
from tests.corpus.clouddns import find_route53_feature
from tests.corpus.test_corpus import build_manifests_flag
from tests.corpus.webhook import run_in_memory, run_on_route53

ROUTING: Final = "external-dns passes only properties with the prefix webhook/ on, so no routing policy of Route 53"
DIFFERENT: Final = {
    **dict.fromkeys(
        (
            *("070-weighted", "072-weight-not-a-number", "073-latency", "076-geolocation", "078-multivalue"),
            *("080-setid-added", "082-setid-renamed", "086-weighted-foreign-set", "279-gateway-target"),
            *("311-alpha-prefix-flag", "340-combined", "366-weighted-alias-health", "404-simple-a-weighted-aaaa"),
        ),
        ROUTING,
    ),
    "359-other-providers-annotations": "properties with the prefix webhook/ are passed on, and memory keeps them",
}
"""Cases whose records differ, with the reason in the protocol."""

WITHOUT_ZONES: Final = {"140-domain-filter", "361-domain-filter-comma"}
"""Cases in which the filter leaves no zone. The server does not negotiate then: no filter would mean all names."""


def find_obstacle(case: Case) -> str:
    """Return what *case* needs that the webhook protocol does not have, "" if there is nothing."""
    zone_names = [zone["name"] for zone in case.zones]
    if len(set(zone_names)) < len(zone_names) or any(zone["private"] for zone in case.zones):
        return "two zones of one name, or private zones: the protocol has no zones"
    return "the filter leaves no zone" if case.id in WITHOUT_ZONES else ""


RUN: Final = [name for name in names() if not find_obstacle(load(name))]
PLAIN: Final = [name for name in RUN if not find_route53_feature(load(name))]


@pytest.mark.parametrize("name", RUN)
def test_records_in_route53_are_the_same_with_and_without_the_webhook_protocol_in_between(
    name: str, tmp_path: Path
) -> None:
    case = load(name)
    cluster = build_manifests_flag(case, tmp_path)
    direct, _ = product.run(case, compat=False, cluster=cluster)
    result, again = run_on_route53(case, cluster=cluster)
    assert again.zones == result.zones
    assert again.writes == 0 or result.exit == 1
    if DIFFERENT.get(name) is ROUTING:
        assert result.zones != direct.zones, "outdated"
        return
    assert result.zones == direct.zones, result.error
    assert result.exit == direct.exit, result.error


@pytest.mark.parametrize("name", PLAIN)
def test_records_in_memory_are_the_same_with_and_without_the_webhook_protocol_in_between(
    name: str, tmp_path: Path
) -> None:
    case = load(name)
    cluster = build_manifests_flag(case, tmp_path)
    direct = run_in_memory(case, cluster=cluster, through_webhook=False)
    result = run_in_memory(case, cluster=cluster, through_webhook=True)
    if name in DIFFERENT:
        assert result.contents != direct.contents, "outdated"
        return
    assert result.contents == direct.contents
    assert result.exit == direct.exit


def test_more_than_two_thirds_of_the_corpus_cases_give_equal_records_over_the_webhook_protocol() -> None:
    assert len(set(RUN) - DIFFERENT.keys()) > len(names()) * 2 / 3
