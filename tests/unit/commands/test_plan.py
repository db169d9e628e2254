"""`extdns plan` with manifests and zone files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from extdns import cli
from extdns.config import parse
from extdns.documents.plan import PLAIN, build_plan, format_plan, format_plan_markdown
from extdns.documents.snapshot import EngineSnapshot
from extdns.documents.text import find_reportable
from extdns.model.reason import Reason
from tests.objects import service
from tests.program.installation import Installation
from tests.unit.documents.cases import NAMES

ROOT = Path(__file__).parents[3]
HOSTILE = "\x1b[31m`|</td>@all\u202e\x9b2J"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Return an installation with one name to create, one to update, one to delete, and one without an address."""
    found = Installation(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.replace_manifests(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.run_once() == 0
    found.replace_manifests(
        service("shop", "shop.example.org"),
        service("api", "api.example.org", address="192.0.2.7"),
        service("www", "www.example.org"),
        {**service("gw", "pay.example.org"), "status": {}},
    )
    return found


def plan(installation: Installation, *more: str) -> int:
    return cli.main(["plan", *installation.flags(*more)], {})


STATELESS = (
    "WARNING: no change can be planned for 1 request: the manifests have no status with an address or acceptance",
    "  add the status, or plan with that of the cluster: --with-cluster or --cluster-snapshot=FILE",
)


def describe_source(installation: Installation) -> str:
    """Return the line that says where a plan of one pass comes from."""
    return f'Answered by this command, in one pass, owner "me", files {installation.manifests}'


def test_an_empty_plan_exits_with_0(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    installation.replace_manifests(service("api", "api.example.org"), service("old", "old.example.org"))
    assert plan(installation) == 0
    assert capsys.readouterr().out == f"{describe_source(installation)}\n\nAll records are already up to date.\n"


@pytest.mark.parametrize("output", ["text", "markdown"])
def test_plan_with_the_held_flag_and_no_held_deletes_says_so_and_keeps_the_exit_code(
    installation: Installation, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, "--held", f"--output={output}") == 2
    text, remedy = STATELESS
    warning = f"{text}\n{remedy}" if output == "text" else f"- `{text}`\n  - `{remedy.strip()}`"
    source = f"\n\n{describe_source(installation)}" if output == "text" else ""
    assert capsys.readouterr().out.strip() == f"{warning}{source}\n\nNothing is held."


def test_the_summary_of_an_empty_plan_says_that_not_everything_could_be_read(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(service("api", "api.example.org"), service("old", "old.example.org"))
    (installation.manifests / "broken.yaml").write_text("kind: [")
    assert plan(installation) == 1
    output = capsys.readouterr().out
    assert output.endswith("\n\nNothing to plan, as far as could be read.\n")
    assert plan(installation, "--held") == 1
    assert capsys.readouterr().out.endswith("\n\nNothing is held, as far as could be read.\n")


def test_a_plan_counts_the_objects_that_an_annotation_or_a_flag_excludes(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = [service(name, annotations={"controller": "other"} if name == "api" else {}) for name in ("web", "api")]
    installation.replace_manifests(*objects, service("lab", namespace="lab"))
    plan(installation, "--namespace=shop")
    lines = capsys.readouterr().out.splitlines()
    assert "1 object excluded by annotation external-dns.kubernetes.io/controller" in lines
    plan(installation, "--label-filter=app=shop")
    assert "3 objects excluded by --label-filter" in capsys.readouterr().out.splitlines()


def test_a_plan_holds_a_delete_over_the_budget(
    installation: Installation, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    flags = ("--max-delete-count=0", "--max-delete-percent=0", f"--state-file={tmp_path / 'state'}")
    assert plan(installation, *flags) == 3
    output = capsys.readouterr().out
    assert re.search(r"! A  old\.example\.org .*\[held\]\n", output)
    assert re.search(
        r"1 delete is HELD .*: extdns approve \S{4}-\S{4} --state-file=\S+\n  the deletes by absence in .* exceeded",
        output,
    )
    assert output.count("exceeded") == 1
    assert (
        "The evidence is [orphan-gone]: such deletes have a smaller budget, or need approval.\n"
        "A running extdns may have better evidence, because it observes when objects are deleted or changed.\n"
        "To see its plan: extdns plan --controller=URL\n"
    ) in output
    assert plan(installation, *flags, "--output=json") == 3
    document = json.loads(capsys.readouterr().out)
    (held,) = document["held"]
    assert document["summary"]["held"] == len(held["records"]) == 1
    assert held["records"][0]["name"] == "old.example.org"
    assert held["command"] == f"extdns approve {held['approvalCode']} {flags[-1]}"


def test_a_plan_shows_deletes_that_a_running_process_would_delay_by_the_grace_period(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, "--delete-grace-period=1h") == 2
    assert "1 to delete" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "flags", "code"),
    [
        pytest.param("www.example.org, web.${DOMAIN}", (), 1, id="invalid name"),
        pytest.param("new.example.org, web.${DOMAIN}", (), 1, id="invalid name and a change"),
        pytest.param("www.example.org, a..example.org", ("--compat", "--policy=sync"), 0, id="as external-dns"),
    ],
)
def test_plan_counts_names_of_manifests_that_are_not_valid_and_exits_with_1(
    host: str, flags: Sequence[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(service("web", "www.example.org"))
    assert found.run_once() == 0
    found.replace_manifests(service("web", host))
    assert plan(found, *flags) == code
    printed = capsys.readouterr().out
    assert ("an unsubstituted variable: pipe through `flux build` or envsubst" in printed) is ("$" in host)
    assert printed.endswith(", 1 invalid value.\n")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(["--output=yaml"], "--output=yaml is not an output format\n  allowed: text, json", id="output"),
        pytest.param(["--polic=sync"], "--polic is not a flag\n  did you mean: --policy", id="flag"),
        pytest.param(["x"], "'x' is not a flag", id="positional"),
        pytest.param(["--base="], "--base needs a value\n  write --base=DIR_OR_REF; ", id="base-is-empty"),
        pytest.param(["--zone-snapshot", ""], "--zone-snapshot needs a value\n", id="snapshot-is-empty"),
        pytest.param(["--base", "--output=json"], "--base needs a value\n", id="variable-of-the-base-is-empty"),
        pytest.param(["--cluster-id", "--held"], "--cluster-id needs a value\n", id="variable-of-a-flag-is-empty"),
    ],
)
def test_an_invalid_command_line_of_plan_exits_with_1(
    installation: Installation, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(installation, *flags) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_a_plan_is_printed_as_a_markdown_table(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(installation, "--output=markdown") == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "**`Zone example.org (example.org.zone, zonefile)  4 records, 2 ours`**",
        "",
        "| | Name | Type | Change | Object | Reason |",
        "|---|---|---|---|---|---|",
    ]
    assert (
        "| `~` | `api.example.org` | `A` | `192.0.2.7`<br>`target 192.0.2.1 → 192.0.2.7` "
        "| `Service shop/api: annotation hostname` |  |"
    ) in lines
    assert lines[-1] == "1 to create, 1 to update, 1 to delete, 1 kept, 1 not published."


def test_a_plan_on_a_terminal_differs_only_by_colours(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plan(installation)
    plain = capsys.readouterr().out
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    plan(installation)
    coloured = capsys.readouterr().out
    assert "\x1b[31m  - A  old.example.org" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


# A plan contains each reason code, in text and in Markdown


CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


# A plan does not list what filters exclude; `extdns explain` does.
@pytest.mark.parametrize("reason", sorted(set(NAMES) - PLAIN - {Reason.TARGETS_FILTERED}))
def test_a_plan_shows_each_reason_code_that_the_symbol_of_its_line_does_not_imply(reason: Reason) -> None:
    seen = EngineSnapshot(NAMES[reason]().engine)
    plan = build_plan(seen, CONFIG, find_reportable(seen.decisions), (), ())
    assert f"[{reason}]" in "\n".join(format_plan(plan))
    assert f"`[{reason}]` |" in "\n".join(format_plan_markdown(plan))
