"""The namespace with 40 % of the records is deleted on purpose, and then released.

Nothing tells a purpose from an accident. The reference deletes the records at once.

What must hold: the deletes are held as a whole, and shown with one code; creates and updates of others go on. The code
releases them, also after a restart, and the records that belong to others stay.
"""

from __future__ import annotations

import re

import pytest

from extdns import cli
from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, Scene, scene

GOING, STAYING = numbered(40, "g"), numbered(60, "s")
ALL = [*services(GOING, namespace="old"), *services(STAYING, namespace="shop")]


def emptied(*flags: str) -> Scene:
    world = scene(*ALL, flags=flags)
    world.delete(*services(GOING, namespace="old"), for_s=5 * MINUTE_S)
    return world


def test_all_are_held_while_changes_go_on() -> None:
    world = emptied()
    assert world.shown_held() == set(GOING)
    world.show(service(STAYING[0], address="192.0.2.9"), service("new"), for_s=HOUR_S)
    assert world.published() == {*GOING, *STAYING, "new"}
    assert world.holds()[f"{STAYING[0]} A"] == ("192.0.2.9",)
    assert len({told.code for told in world.held}) == 1


@pytest.mark.parametrize("restarts", [0, 1])
def test_the_code_releases_them(restarts: int) -> None:
    world = emptied()
    shown = world.code
    for _ in range(restarts):
        world = world.again(for_s=5 * MINUTE_S)
        assert world.published() == {*GOING, *STAYING}
        assert world.code == shown
    world.release()
    assert world.published() == set(STAYING)
    assert world.shown_held() == set()


def test_a_release_is_used_up_by_what_it_released() -> None:
    world = emptied()
    world.release()
    world.run(for_s=HOUR_S)
    world.delete(*services(STAYING[:30]), for_s=HOUR_S)
    assert world.shown_held() == set(STAYING[:30])


def test_objects_that_come_back_end_it() -> None:
    world = emptied()
    world.show(*services(GOING, namespace="old"), for_s=MINUTE_S)
    assert world.shown_held() == set()
    assert not world.deleted()


def test_the_reference_deletes_them_at_once() -> None:
    assert emptied(*COMPAT).published() == set(STAYING)


def test_in_the_whole_program_a_person_releases_them(production: Production) -> None:
    going = services(GOING[:14], namespace="old")
    production.put(*going, service("stays"))
    with production.process() as running:
        production.until_published(*GOING[:14], "stays")
        production.delete(*going)
        production.seen()
        running.pass_time(MINUTE_S + 1.0)
        production.seen()
        assert production.published() == {*GOING[:14], "stays"}
        production.release(running)
        production.until_published("stays")
        production.dns.whole()


def test_whoever_looks_learns_what_is_held_and_why_and_the_command(
    production: Production, capsys: pytest.CaptureFixture[str]
) -> None:
    names = GOING[:14]
    production.put(*services(names))
    with production.process() as running:
        production.until_published(*names)
        production.put(*services(names, host="else.example.net"))  # the objects stay, so that one can look at them
        production.seen()
        running.pass_time(MINUTE_S + 1.0)
        line = running.until("Deletes are held", "count=14", f"{names[0]}.example.org", "hostname-removed 14")
        command = "extdns release " + re.findall(r"extdns release ([0-9a-f-]+)", line)[0]
        code = command.rpartition(" ")[2]

        production.until(lambda: len(production.events("Held")) == len(names))
        for name, text in production.events("Held").items():
            assert f"{name}.example.org A [hostname-removed]" in text
            assert command in text

        metrics = running.metrics().decode()
        for name in names:
            assert re.search(
                rf'^extdns_held_record{{code="{code}",evidence="hostname-removed",name="{name}.example.org",'
                rf'record_type="a",zone="example.org",zone_id="[^"]+"}} 1.0$',
                metrics,
                re.MULTILINE,
            )

        production.until(lambda: code in production.state())
        assert production.run("status") == 0
        told = capsys.readouterr().out.splitlines()
        assert told[0] == "14 deletes held."
        assert {f"        {name}.example.org A [hostname-removed]" for name in names} < set(told)
        assert "  [hostname-removed] A newer version of the object no longer asks for the name." in told
        assert told[-1] == f"Release them: {command}"

        with running.page:
            assert cli.main(["status", f"--controller=http://127.0.0.1:{running.page.port}"], {}) == 0
        told = capsys.readouterr().out.splitlines()
        assert told[0] == "14 deletes held."
        assert {f"      {name}.example.org A [hostname-removed]" for name in names} < set(told)
        assert told[-1] == f"Release them in example.org: {command}"

        assert production.run(*command.split()[1:]) == 0
        running.pass_time(11.0)
        production.until_published()
