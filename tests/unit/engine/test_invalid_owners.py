"""Address records whose name is no host name, and invalid answers of the DNS service (docs/spec/sources.md 1.6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.model.change import Action, AdjustedRecords
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone
from tests.builders import build_claim, observe, owned, ownership_record
from tests.world import start_world

NAME = "_x"


@pytest.mark.parametrize(
    "current",
    [
        pytest.param(owned(NAME), id="ours"),
        pytest.param(owned(NAME, "lb.test", rtype="CNAME"), id="cname-of-ours"),
        pytest.param((ownership_record(NAME),), id="ours-was-lost"),
    ],
)
def test_address_record_at_no_host_name_is_written_if_we_have_or_had_one_there(current: Sequence[Record]) -> None:
    world = start_world(*current, first=[observe("web", build_claim("web", NAME, "192.0.2.9"))])
    world.run(for_s=600.0)
    assert list(world.list_records().values()) == [("192.0.2.9",)]


def test_address_record_at_no_host_name_is_not_written_if_another_owner_had_one_there() -> None:
    world = start_world(ownership_record(NAME, owner="other"), first=[observe("web", build_claim("web", NAME))])
    assert world.list_decisions(NAME) == [("A", Action.NONE, Reason.INVALID_OBJECT)]


def test_no_host_name_with_a_record_of_ours_gets_a_record_of_the_other_family() -> None:
    first = observe("web", build_claim("web", NAME), build_claim("web", NAME, "2001:db8::1", rtype="AAAA"))
    world = start_world(*owned(NAME), first=[first])
    world.run(for_s=600.0)
    assert world.list_records() == {f"{NAME} A": ("192.0.2.1",), f"{NAME} AAAA": ("2001:db8::1",)}


def test_record_is_kept_if_the_answer_of_the_service_is_invalid() -> None:
    def adjust(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
        return AdjustedRecords(accepted=tuple(replace(one, targets=("[lb].test",)) for one in desired))

    claim = build_claim("web", "web", "lb.test", rtype="CNAME")
    world = start_world(
        *owned("web", "former.test", rtype="CNAME"),
        first=[observe("web", claim)],
        adjust=adjust,
    )
    assert world.list_decisions("web") == [("CNAME", Action.KEEP, Reason.INVALID_TARGET)]
    assert world.decision("web").detail == (
        "as the DNS service changes it, '[lb].test' is not valid; allowed: an IP address without zone, or a host name, "
        "such as lb.test"
    )
    assert world.list_records() == {"web CNAME": ("former.test",)}
