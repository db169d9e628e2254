"""`extdns apply`: make exactly the changes of a stored plan, or refuse it and write nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extdns import cli
from extdns.app import assembly, provider
from extdns.commands import saved_plan
from extdns.commands.saved_plan import ApprovedPlanWriter
from extdns.config import Config
from extdns.engine.inputs import PlanApproved
from extdns.model.change import Action, Batch, Outcome, Refused
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from extdns.ports import ZoneReader, ZoneWriter
from tests.builders import build_claim, observe
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HastyClock
from tests.program.zone_files import build_zone_text
from tests.world import start_world

HOSTILE = "\x1b[31m\u202e\x9b2J"
PLANNED = "A api.example.org: update [changed], target 192.0.2.1 → 192.0.2.7"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Request one name to create, one to update, one to delete, and one that cannot be published."""
    found = Installation(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.replace_manifests(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.run_once() == 0
    found.replace_manifests(
        service("shop", "shop.example.org"),
        service("api", "api.example.org", address="192.0.2.7"),
        service("www", "www.example.org"),
    )
    return found


def store_plan(installation: Installation, capsys: pytest.CaptureFixture[str], *more: str) -> Path:
    """Store the current plan in a file, and return its path."""
    cli.main(["plan", "--output=json", *installation.flags(*more)], {})
    path = installation.manifests.parent / "plan.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def apply(installation: Installation, plan: Path, *more: str) -> int:
    return cli.main(["apply", f"--plan={plan}", *installation.flags(*more)], {})


def test_apply_succeeds_for_a_plan_without_changes(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.run_twice()
    assert apply(installation, store_plan(installation, capsys)) == 0
    assert capsys.readouterr().out == "The plan has no changes.\n"


def test_deletes_that_a_plan_holds_stay_held_when_the_plan_is_applied(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ("--max-delete-count=0", "--max-delete-percent=0")
    assert apply(installation, store_plan(installation, capsys, *limits), *limits) == 3
    assert capsys.readouterr().out == "1 delete held, as in the plan.\n2 of 2 changes made.\n"
    assert "old.example.org A 192.0.2.1" in installation.zones.published()


UNCHANGED = [service("api", "api.example.org"), service("old", "old.example.org")]


def publish(installation: Installation, state: str, *hosts: str) -> None:
    """Publish the names *hosts* and those of `UNCHANGED`, and no others."""
    installation.replace_manifests(*UNCHANGED, *(service(host.replace(".", "-"), host) for host in hosts))
    assert installation.run_once(state) == 0


def test_applying_a_plan_makes_its_deletes_although_the_delete_budget_is_used_up(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = f"--state-file={tmp_path / 'state.json'}"
    publish(installation, state, "a.example.org", "b.example.org")
    installation.replace_manifests(*UNCHANGED)
    plan = store_plan(installation, capsys, state)
    (tmp_path / "other").mkdir()
    other = Installation(tmp_path / "other", example_net="")
    names = [service(f"s{number}", f"s{number}.example.net") for number in range(6)]
    other.replace_manifests(*names)
    assert other.run_once(state) == 0
    other.replace_manifests(names[0])
    assert other.run_once(state) == 0
    assert other.zones.published("example.net") == ["s0.example.net A 192.0.2.1"]  # this uses up the delete budget
    assert apply(installation, plan, state) == 0
    assert capsys.readouterr().out == "2 of 2 changes made.\n"
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", "old.example.org A 192.0.2.1"]


def test_deletes_of_an_applied_plan_do_not_count_in_the_delete_budget(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = f"--state-file={tmp_path / 'state.json'}"
    publish(installation, state, *(f"{label}.example.org" for label in "abcdef"))
    installation.replace_manifests(
        *UNCHANGED, service("c-example-org", "c.example.org"), service("d-example-org", "d.example.org")
    )
    assert apply(installation, store_plan(installation, capsys, state), state) == 0
    publish(installation, state)
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", "old.example.org A 192.0.2.1"]


def assert_refused(installation: Installation, plan: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    """Assert that *plan* is refused and nothing is written. Return the error message."""
    before = installation.zones.contents()
    names = sorted(path.name for path in plan.parent.iterdir())
    assert apply(installation, plan, *more) == 1
    assert installation.zones.contents() == before
    assert sorted(path.name for path in plan.parent.iterdir()) == names
    output = capsys.readouterr()
    assert output.out == ""
    assert all(line.isprintable() for line in output.err.splitlines())
    return output.err


def test_a_plan_file_with_one_changed_byte_is_refused(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    content = path.read_bytes()
    for at in range(0, len(content), len(content) // 12):
        path.write_bytes(content[:at] + bytes((content[at] ^ 1,)) + content[at + 1 :])
        message = assert_refused(installation, path, capsys)
        assert message.startswith(f"error: --plan={path} "), message
        assert any(
            text in message for text in ("was changed after extdns plan printed it", "is not a plan", "was made")
        )
    path.write_bytes(content + b"\n")
    assert "was changed after extdns plan printed it" in assert_refused(installation, path, capsys)


def _reapplied(installation: Installation) -> None:
    assert installation.run_once() == 0


def _object_changed(installation: Installation) -> None:
    installation.replace_manifests(
        service("shop", "shop.example.org", address="192.0.2.8"), service("www", "www.example.org")
    )


def _object_remade(installation: Installation) -> None:
    path = installation.manifests / "all.json"
    path.write_text(path.read_text(encoding="utf-8").replace("2026-01-01", "2026-01-02"), encoding="utf-8")


def _edit_zone(old: str, new: str) -> Callable[[Installation], None]:
    """Return a function that replaces a text in the zone file."""

    def edit(installation: Installation) -> None:
        text = installation.zones.text()
        assert old in text
        installation.zones.path().write_text(text.replace(old, new), encoding="latin-1")

    return edit


def _other_zone(installation: Installation) -> None:
    installation.zones.path("example.net").write_text(build_zone_text("", zone="example.net"), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(_reapplied, f"{PLANNED} in the plan; now nothing\n", id="made-already"),
        pytest.param(_object_changed, f"{PLANNED} in the plan; now delete [orphan-gone]\n", id="object"),
        pytest.param(_object_remade, "that the plan is based on have changed", id="object-remade"),
        pytest.param(
            _edit_zone("api.example.org. 300 IN A 192.0.2.1", "api.example.org. 300 IN A 192.0.2.55"),
            f"{PLANNED} in the plan; now update [changed], target",
            id="record",
        ),
        pytest.param(
            _edit_zone("resource=service/shop/api", "resource=service/shop/apo"),
            f"{PLANNED}, as in the plan, but objects, data or ownership records ",
            id="other-ownership-record",
        ),
        pytest.param(
            _edit_zone("www IN A 192.0.2.99", "www IN A 192.0.2.99\nshop IN A 192.0.2.98"),
            "[requested], 192.0.2.1 in the plan; now keep [foreign-record], ",
            id="name-taken",
        ),
        pytest.param(_other_zone, "the zone example.net.zone is not in the plan", id="another-zone"),
    ],
)
def test_a_plan_is_refused_if_objects_or_records_have_changed(
    installation: Installation, change: Callable[[Installation], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    change(installation)
    output = assert_refused(installation, path, capsys)
    assert output.startswith("error: the plan is out of date\n")
    assert message in output
    assert "nothing was written" in output


def test_a_plan_can_be_applied_with_other_flags_for_saved_state_logs_and_leader_election(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, audit_log = tmp_path / "state.json", tmp_path / "audit.log"
    flags = (f"--state-file={state}", "--log-level=warning", f"--audit-log={audit_log}", "--leader-elect")
    assert apply(installation, store_plan(installation, capsys), *flags) == 0
    assert state.exists()
    assert '"outcome":"applied"' in audit_log.read_text(encoding="utf-8")


def test_apply_exits_with_1_if_the_state_file_that_a_flag_names_cannot_be_used(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, state = store_plan(installation, capsys), tmp_path / "state"
    state.write_text("[]")
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    assert apply(installation, plan, f"--state-file={state}") == 1
    assert capsys.readouterr().out == "3 of 3 changes made.\n"


def test_a_plan_made_by_another_version_of_extdns_is_refused(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    monkeypatch.setattr(saved_plan, "__version__", "9.9.9")
    assert "and this is 9.9.9" in assert_refused(installation, path, capsys)


def test_a_plan_for_another_zone_is_refused(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    (tmp_path / "other").mkdir()
    other = Installation(tmp_path / "other", example_net="")
    other.replace_manifests(service("shop", "shop.example.net"))
    output = assert_refused(other, path, capsys)
    assert "the zone example.org.zone is only in the plan" in output
    assert "the zone example.net.zone is not in the plan" in output


def test_an_incomplete_plan_is_refused(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    (installation.manifests / "broken.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    path = store_plan(installation, capsys)
    assert "the plan is incomplete" in assert_refused(installation, path, capsys)


def test_a_plan_is_refused_if_a_manifest_cannot_be_read_any_more(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    (installation.manifests / f"broken{HOSTILE}.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    assert "cannot be compared with the current one" in assert_refused(installation, path, capsys)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "is not a plan", id="empty"),
        pytest.param("[]", "is not a plan", id="list"),
        pytest.param('{"basis": {"version": "\\u001b[2J"}}', "was made by extdns \\x1b[2J", id="hostile-version"),
        pytest.param("{" * 100_000, "is not a plan", id="deep"),
    ],
)
def test_a_file_that_is_not_a_plan_is_refused(
    installation: Installation, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = installation.manifests.parent / "plan.json"
    path.write_text(content)
    assert message in assert_refused(installation, path, capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "error: Missing option '--plan'.\n  help: extdns apply --help\n", id="none"),
        pytest.param(
            ["--plan=/nowhere/plan"], "error: --plan=/nowhere/plan cannot be read: No such file", id="missing"
        ),
        pytest.param(["--plan=a\0"], "error: --plan=a\\x00 cannot be read: no file has such a name\n", id="nul"),
    ],
)
def test_an_invalid_plan_flag_of_apply_exits_with_1(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["apply", *arguments], {}) == 1
    assert capsys.readouterr().err.startswith(message)


def test_apply_refuses_dry_run(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    output = assert_refused(installation, store_plan(installation, capsys), capsys, "--dry-run")
    assert output.startswith("error: extdns apply writes, and --dry-run forbids it\n")


class RefusingWriter:
    """A writer that returns *outcome* for the name `shop.example.org`."""

    def __init__(self, writer: ZoneWriter, outcome: Outcome) -> None:
        self._writer = writer
        self._outcome = outcome

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        if any(change_set.name == "shop.example.org" for change_set in batch.change_sets):
            return self._outcome
        return self._writer.submit(zone, batch)


def test_apply_lists_a_refused_change_with_its_reason(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_plan(installation, capsys)
    build_provider = provider.build_provider

    def build_refusing(config: Config) -> tuple[ZoneReader, ZoneWriter | None]:
        reader, writer = build_provider(config)
        return reader, writer and RefusingWriter(writer, Refused(message=f"no{HOSTILE}"))

    monkeypatch.setattr(provider, "build_provider", build_refusing)
    assert apply(installation, path) == 1
    output = capsys.readouterr().out
    assert "  ! A  shop.example.org  not published  Service shop/shop: annotation hostname  [refused]\n" in output
    assert output.endswith("\n2 of 3 changes made.\n")
    assert all(line.isprintable() for line in output.splitlines())


def test_a_change_set_that_is_not_in_the_applied_plan_is_refused() -> None:
    world = start_world(first=[observe("web", build_claim("web", "web"))], needs_approval=True)
    approval = ApprovedPlanWriter(world.writer)
    world.writer = approval
    approval.approve(world.engine)
    world.run(observe("api", build_claim("api", "api")), PlanApproved(), for_s=1.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("api") == [("A", Action.NONE, Reason.REFUSED)]
    assert world.decision("api").detail == "not in the plan that is applied"
