"""The status of a process warns of settings that do not fit what was found (docs/design/messages.md)."""

from __future__ import annotations

from extdns.config import parse
from extdns.documents.levels import Level
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.documents.status import StatusDocument, build_status
from tests.builders import build_claim, observe, owned
from tests.fakes.clocks import BEGINNING
from tests.world import start_world


def build(*flags: str, synced: bool = True) -> StatusDocument:
    """Return the status of a process with *flags* that has published one name in the zone example.org."""
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))])
    live = ProcessSnapshot(EngineSnapshot(world.engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), synced=synced)
    return build_status(live, parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me", *flags], {}))


def test_the_status_of_a_process_warns_of_a_domain_filter_that_matches_no_zone() -> None:
    status = build("--domain-filter=exmaple.org")
    assert [(one.text, one.next) for one in status.warnings] == [
        (
            "--domain-filter=exmaple.org matches none of your zones: example.org",
            "did you mean: --domain-filter=example.org",
        )
    ]
    assert status.level is Level.WAITING
    assert status.message == "The one name is published. Settings do not fit what was read: see below."


def test_the_status_of_a_process_does_not_warn_if_settings_fit_or_before_the_first_pass_has_ended() -> None:
    status = build()
    assert (status.warnings, status.level, status.message) == ((), Level.GOOD, "The one name is published.")
    assert build("--domain-filter=exmaple.org", synced=False).warnings == ()
