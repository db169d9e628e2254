"""`extdns status --controller`: the held deletes of a running process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from extdns import cli
from extdns.app.state_store import DocumentStateStore
from extdns.commands import running_process
from extdns.documents.document import UNKNOWN_PROCESS, ZoneReference, format_json
from extdns.documents.held import HeldDocument, HeldRecordDocument, HeldSetDocument
from extdns.kube.state_store import FileStateStore
from extdns.model.saved_state import Saved, SavedZone
from tests.web_server import serving

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def held_set(zone: str, command: str, *names: str) -> HeldSetDocument:
    records = (
        HeldRecordDocument(
            zone=ZoneReference(name=zone, id=zone),
            name=name,
            type="A",
            set_identifier="blue" if name.startswith("b.") else "",
            targets=("192.0.2.1",),
            resource="service/shop/web",
            evidence="orphan-unclaimed",
        )
        for name in names
    )
    code = command.removesuffix(" [flags]")[-9:]
    return HeldSetDocument(
        scope="zone",
        zone=ZoneReference(name=zone, id=zone),
        namespace="",
        approval_code=code,
        command=command,
        records=tuple(records),
    )


def build_document(*sets: HeldSetDocument) -> HeldDocument:
    process = replace(UNKNOWN_PROCESS, address="http://localhost:7980", owner="me", objects="files shop.yaml")
    return HeldDocument(at=datetime(2026, 11, 20, tzinfo=UTC), process=process, items=sets)


class Page:
    """A WSGI application that always returns the same status and body, and stores the requested paths."""

    def __init__(self, body: str, status: str = "200 OK") -> None:
        self.body = body
        self.status = status
        self.paths: list[str] = []

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterator[bytes]:
        self.paths.append(environ["PATH_INFO"])
        start(self.status, [("Content-Length", str(len(self.body)))])
        yield self.body.encode()


def test_status_of_a_process_lists_held_deletes_with_evidence_and_approve_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = Page(
        format_json(
            build_document(
                held_set("example.net", "extdns approve 1111-1111", "a.example.net"),
                held_set("example.org", "extdns --approve=7f3a-91c2 [flags]", "a.example.org", "b.example.org"),
            )
        )
    )
    with serving(page) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}/"], {}) == 0
    assert page.paths == ["/api/v1/held"]
    assert capsys.readouterr().out == (
        "3 deletes held.\n"
        "\n"
        "Zone example.net\n"
        "  ! 1 delete HELD, code 1111-1111\n"
        "      a.example.net A [orphan-unclaimed]\n"
        "\n"
        "Zone example.org\n"
        "  ! 2 deletes HELD, code 7f3a-91c2\n"
        "      a.example.org A [orphan-unclaimed]\n"
        "      b.example.org A (blue) [orphan-unclaimed]\n"
        "\n"
        "Why\n"
        "  [orphan-unclaimed] The record is ours and no object requests it, but its resource may still exist. The "
        "delete is held, unless the settings are those that were accepted before.\n"
        "\n"
        f'Answered by extdns at http://127.0.0.1:{port}/, owner "me", files shop.yaml\n'
        "\n"
        "Approve it in zone example.net: extdns approve 1111-1111\n"
        "Approve them in zone example.org: extdns --approve=7f3a-91c2 [flags]\n"
    )


def test_without_flags_status_asks_the_process_on_this_machine_and_reads_saved_state_if_none_or_a_standby_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    DocumentStateStore(FileStateStore(tmp_path / "state"), "me").save(Saved(zones=(("Z", SavedZone()),)))
    environ = {"EXTERNAL_DNS_STATE_FILE": str(tmp_path / "state")}
    document = build_document(held_set("example.org", "extdns approve 7f3a-91c2", "a.example.org"))
    standby = replace(document, process=replace(document.process, role="standby"))
    with serving(Page(format_json(document))) as port, serving(Page(format_json(standby))) as standby_port:
        outputs = []
        for one in (port, standby_port, 1):
            monkeypatch.setattr(running_process, "LOCAL_ADDRESS", f"http://127.0.0.1:{one}")
            assert cli.main(["status"], environ) == 0
            outputs.append(capsys.readouterr().out)
    assert outputs[0].startswith("1 delete held.\n")
    saved = "No delete was held when the state was saved, at a time that is not known.\n"
    assert all(output.startswith(saved) for output in outputs[1:])


def test_status_of_a_process_shows_a_long_approve_command_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"extdns approve 7f3a-91c2 --kubeconfig=/{'folder/' * 30}kubeconfig"
    with serving(Page(format_json(build_document(held_set("example.org", command, "a.example.org"))))) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    assert capsys.readouterr().out.endswith(f": {command}\n")


def test_status_of_a_process_reports_that_earlier_holds_are_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    problem = "earlier holds are unknown: the saved state was not read: 500"
    with serving(Page(format_json(replace(build_document(), problem=problem)))) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Not all is known: {problem}\n")
    assert "No delete is held" not in output


def test_while_another_cluster_is_not_accepted_status_prints_the_command_that_accepts_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = "extdns accept-cluster 7f3a-91c2"
    document = replace(build_document(), other_cluster="7f3a-91c2", accept_command=command)
    with serving(Page(format_json(document))) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    assert capsys.readouterr().out == (
        "The objects come from another cluster than before, 7f3a-91c2: updates and deletes are held until a person"
        " accepts it.\n\n"
        f'Answered by extdns at http://127.0.0.1:{port}, owner "me", files shop.yaml\n'
        "\n"
        f"Continue with this cluster: {command}\n"
    )


def test_status_of_a_process_without_held_deletes_has_no_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Page(format_json(build_document()))) as port:
        assert cli.main(["status", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    assert capsys.readouterr().out == (
        f'No delete is held.\n\nAnswered by extdns at http://127.0.0.1:{port}, owner "me", files shop.yaml\n'
    )


def test_status_prints_the_json_document_of_the_process(capsys: pytest.CaptureFixture[str]) -> None:
    output = build_document(held_set("example.org", "extdns approve 7f3a-91c2", "a.example.org"))
    with serving(Page(format_json(output))) as port:
        assert cli.main(["status", "--output=json", f"--controller=http://127.0.0.1:{port}"], {}) == 0
    reached = replace(output.process, address=f"http://127.0.0.1:{port}")
    assert msgspec.json.decode(capsys.readouterr().out, type=HeldDocument) == replace(output, process=reached)
