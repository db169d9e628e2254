"""`extdns apply`: a stored plan is made as it stands, or refused with nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extdns import cli
from extdns.app import services
from extdns.commands import apply as room
from extdns.commands import planfile
from extdns.commands.approval import Approval
from extdns.config import Config
from extdns.engine.inputs import Approved
from extdns.model.change import Batch
from extdns.model.outcome import Outcome, Refused
from extdns.model.zone import Zone
from extdns.ports import ZoneReader, ZoneWriter
from tests.integration.stage import Stage, manual, service
from tests.unit.engine.stage import running, seen, wants

HOSTILE = "\x1b[31m\u202e\x9b2J"
PLANNED = "A api.example.org: update [changed], target 192.0.2.1 → 192.0.2.7"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """One name to create, one to update, one to delete, and one that cannot be published."""
    found = Stage(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.apply(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.once() == 0
    found.apply(
        service("shop", "shop.example.org"),
        service("api", "api.example.org", address="192.0.2.7"),
        service("www", "www.example.org"),
    )
    return found


def flags(stage: Stage, *more: str) -> list[str]:
    return [
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        f"--manifests={stage.manifests}",
        "--txt-owner-id=me",
        *more,
    ]


def stored(stage: Stage, capsys: pytest.CaptureFixture[str], *more: str) -> Path:
    """The file of the plan as it is now."""
    cli.main(["plan", "--output=json", *flags(stage, *more)], {})
    path = stage.manifests.parent / "plan.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def apply(stage: Stage, plan: Path, *more: str) -> int:
    return cli.main(["apply", f"--plan={plan}", *flags(stage, *more)], {})


def test_what_the_plan_says_is_made(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert apply(stage, stored(stage, capsys)) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("3 of 3 changes made.\n", "")
    assert stage.published() == ["api.example.org A 192.0.2.7", "shop.example.org A 192.0.2.1"]


def test_a_plan_without_changes_is_made_at_once(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.settle()
    assert apply(stage, stored(stage, capsys)) == 0
    assert capsys.readouterr().out == "Nothing was to be done.\n"


def test_deletes_that_the_plan_holds_stay_held(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    limits = ("--max-delete-count=0", "--max-delete-percent=0")
    assert apply(stage, stored(stage, capsys, *limits), *limits) == 3
    assert capsys.readouterr().out == "1 delete held, as the plan says.\n2 of 2 changes made.\n"
    assert "old.example.org A 192.0.2.1" in stage.published()


def refused(stage: Stage, plan: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    """The message with which *plan* is refused, on which nothing is written."""
    before = stage.state()
    names = sorted(path.name for path in plan.parent.iterdir())
    assert apply(stage, plan, *more) == 1
    assert stage.state() == before
    assert sorted(path.name for path in plan.parent.iterdir()) == names
    said = capsys.readouterr()
    assert said.out == ""
    assert all(line.isprintable() for line in said.err.splitlines())
    return said.err


def test_a_plan_with_any_one_byte_changed_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(stage, capsys)
    content = path.read_bytes()
    for at in range(0, len(content), len(content) // 12):
        path.write_bytes(content[:at] + bytes((content[at] ^ 1,)) + content[at + 1 :])
        message = refused(stage, path, capsys)
        assert message.startswith(f"error: --plan={path} "), message
        assert any(
            text in message for text in ("was changed after extdns plan printed it", "is not a plan", "was made")
        )
    path.write_bytes(content + b"\n")
    assert "was changed after extdns plan printed it" in refused(stage, path, capsys)


def _reapplied(stage: Stage) -> None:
    assert stage.once() == 0


def _object_changed(stage: Stage) -> None:
    stage.apply(service("shop", "shop.example.org", address="192.0.2.8"), service("www", "www.example.org"))


def _object_remade(stage: Stage) -> None:
    path = stage.manifests / "all.json"
    path.write_text(path.read_text(encoding="utf-8").replace("2026-01-01", "2026-01-02"), encoding="utf-8")


def _record_edited(stage: Stage) -> None:
    text = stage.text().replace("api.example.org. 300 IN A 192.0.2.1", "api.example.org. 300 IN A 192.0.2.55")
    assert text != stage.text()
    stage.file().write_text(text, encoding="latin-1")


def _mark_edited(stage: Stage) -> None:
    text = stage.text().replace("external-dns/resource=service/shop/api", "external-dns/resource=service/shop/apo")
    assert text != stage.text()
    stage.file().write_text(text, encoding="latin-1")


def _record_taken(stage: Stage) -> None:
    text = stage.text().replace("www IN A 192.0.2.99", "www IN A 192.0.2.99\nshop IN A 192.0.2.98")
    stage.file().write_text(text, encoding="latin-1")


def _other_zone(stage: Stage) -> None:
    stage.file("example.net").write_text(manual("", zone="example.net"), encoding="utf-8")


@pytest.mark.parametrize(
    ("happened", "message"),
    [
        pytest.param(_reapplied, f"{PLANNED} in the plan; now nothing\n", id="made-already"),
        pytest.param(_object_changed, f"{PLANNED} in the plan; now delete [orphan-gone]\n", id="object"),
        pytest.param(_object_remade, "that it rests on have changed", id="object-remade"),
        pytest.param(_record_edited, f"{PLANNED} in the plan; now update [changed], target", id="record"),
        pytest.param(_mark_edited, f"{PLANNED}, as planned, but of other objects or ", id="mark"),
        pytest.param(_record_taken, "[wanted], 192.0.2.1 in the plan; now keep [foreign-record], ", id="name-taken"),
        pytest.param(_other_zone, "the zone example.net.zone is not in the plan", id="another-zone"),
    ],
)
def test_a_plan_whose_ground_has_changed_is_refused(
    stage: Stage, happened: Callable[[Stage], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(stage, capsys)
    happened(stage)
    said = refused(stage, path, capsys)
    assert said.startswith("error: the plan does not hold any more\n")
    assert message in said
    assert "nothing was written" in said


def test_a_plan_made_with_other_settings_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(stage, stored(stage, capsys), capsys, "--policy=upsert-only")
    assert "the setting --policy=upsert-only is not in the plan" in said


def test_where_state_is_kept_and_how_is_logged_makes_no_other_plan(
    stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state.json"
    assert apply(stage, stored(stage, capsys), f"--state-file={state}", "--log-level=warning", "--leader-elect") == 0
    assert state.exists()


def test_a_plan_of_another_version_is_refused(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(stage, capsys)
    monkeypatch.setattr(planfile, "__version__", "9.9.9")
    assert "and this is 9.9.9" in refused(stage, path, capsys)


def test_a_plan_for_another_zone_is_refused(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(stage, capsys)
    (tmp_path / "other").mkdir()
    other = Stage(tmp_path / "other", example_net="")
    other.apply(service("shop", "shop.example.net"))
    said = refused(other, path, capsys)
    assert "the zone example.org.zone is only in the plan" in said
    assert "the zone example.net.zone is not in the plan" in said


def test_an_incomplete_plan_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    (stage.manifests / "broken.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    path = stored(stage, capsys)
    assert "the plan is incomplete" in refused(stage, path, capsys)


def test_what_cannot_be_read_now_refuses_the_plan(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(stage, capsys)
    (stage.manifests / f"broken{HOSTILE}.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    assert "cannot be compared with what is planned now" in refused(stage, path, capsys)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "is not a plan", id="empty"),
        pytest.param("[]", "is not a plan", id="list"),
        pytest.param('{"basis": {"version": "\\u001b[2J"}}', "was made by extdns \\x1b[2J", id="hostile-version"),
        pytest.param("{" * 100_000, "is not a plan", id="deep"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(
    stage: Stage, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stage.manifests.parent / "plan.json"
    path.write_text(content)
    assert message in refused(stage, path, capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "error: extdns apply needs a plan\n", id="none"),
        pytest.param(["--plan"], "error: --plan needs a value\n", id="no-value"),
        pytest.param(["--plan="], "error: --plan needs a value\n", id="empty"),
        pytest.param(["--plan=a", "--plan=b"], "error: --plan is given twice\n", id="twice"),
        pytest.param(
            ["--plan=/nowhere/plan"], "error: --plan=/nowhere/plan cannot be read: No such file", id="missing"
        ),
        pytest.param(["--plan=a\0"], "error: --plan=a\\x00 cannot be read: no file has such a name\n", id="nul"),
    ],
)
def test_wrong_usage_is_1(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["apply", *arguments], {}) == 1
    assert capsys.readouterr().err.startswith(message)


def test_a_dry_run_cannot_apply(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(stage, stored(stage, capsys), capsys, "--dry-run")
    assert said.startswith("error: extdns apply writes, and --dry-run forbids it\n")


class Meddler:
    """Somebody who changes an object while the plan is being written, or refuses a name."""

    def __init__(self, writer: ZoneWriter, outcome: Outcome) -> None:
        self._writer = writer
        self._outcome = outcome

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        if any(change_set.name == "shop.example.org" for change_set in batch.sets):
            return self._outcome
        return self._writer.submit(zone, batch)


def test_a_change_that_is_not_made_is_told_with_its_reason(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(stage, capsys)

    def meddled(config: Config) -> tuple[ZoneReader, ZoneWriter | None]:
        reader, writer = services.service(config)
        return reader, writer and Meddler(writer, Refused(message=f"no{HOSTILE}"))

    monkeypatch.setattr(room, "service", meddled)
    assert apply(stage, path) == 1
    said = capsys.readouterr().out
    assert "  ! A  shop.example.org  not published  Service shop/shop: annotation hostname  [refused]\n" in said
    assert said.endswith("\n2 of 3 changes made.\n")
    assert all(line.isprintable() for line in said.splitlines())


def test_what_was_not_approved_of_does_not_get_through() -> None:
    world = running(first=[seen("web", wants("web", "web"))], asks=True)
    approval = Approval(world.writer)
    world.writer = approval
    approval.approve(world.engine)
    world.run(seen("api", wants("api", "api")), Approved(), for_s=1.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("api") == ["A none refused"]
    assert world.decision("api").detail == "not as in the plan that is applied"
