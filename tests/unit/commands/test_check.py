"""`extdns check` reports what is present and what is missing, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from extdns import cli
from extdns.app import assembly
from extdns.audit.line_targets import RotatedFile
from extdns.documents.check import CheckDocument
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import unprivileged
from tests.program.running import HastyClock

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        found = Installation(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.apply(service("web", "web.example.org"))
        yield found


def check(live: Installation, *more: str) -> int:
    return cli.main(["check", *live.flags("--state-configmap=dns/extdns-state", *more)], {})


def test_check_finds_nothing_missing_if_all_permissions_are_granted(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    before = live.zones.contents()
    assert check(live, "--namespace=shop") == 0
    output = capsys.readouterr()
    assert output.err == ""
    lines = output.out.splitlines()
    assert "ok       permission to list services in shop" in lines
    assert "ok       permission to get ingresses.networking.k8s.io in shop" in lines
    assert "ok       permission to create events.events.k8s.io in shop" in lines
    assert "ok       permission to update configmaps extdns-state in dns" in lines
    assert "ok       zone example.org (example.org.zone): 2 records read, 0 ours" in lines
    assert "ok       objects: 1 object read" in lines
    assert lines[-1] == "Nothing is missing."
    assert live.zones.contents() == before
    posts = {request.path for request in live.server.log.requests() if request.method != "GET"}
    assert posts == {REVIEWS}


# docs/spec/sources.md 7.8
def test_check_tests_permission_to_list_watch_and_get_gloo_proxies_in_their_namespaces(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(live, "--source=gloo-proxy", "--gloo-namespace=edge", "--gloo-namespace=dmz", "--namespace=shop") == 0
    lines_found = [line for line in capsys.readouterr().out.splitlines() if "proxies.gloo.solo.io" in line]
    assert lines_found == [
        f"ok       permission to {verb} proxies.gloo.solo.io in {namespace}"
        for namespace in ("edge", "dmz")
        for verb in ("list", "watch", "get")
    ]


def test_check_does_not_test_permission_to_get_objects_that_no_record_names(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(live, "--source=gateway-httproute") == 0
    lines_found = [line for line in capsys.readouterr().out.splitlines() if "gateway.networking.k8s.io" in line]
    assert lines_found == [
        f"ok       permission to {verb} {resource}.gateway.networking.k8s.io in all namespaces"
        for resource, verbs in (("httproutes", ("list", "watch", "get")), ("gateways", ("list", "watch")))
        for verb in verbs
    ]


@pytest.mark.parametrize(
    ("source", "namespace"),
    [
        pytest.param("--source=node", "in shop", id="the-namespace-alone"),
        pytest.param("--source=ambassador-host", "in all namespaces", id="7.6-hosts-name-services-anywhere"),
        pytest.param("--source=gloo-proxy", "in all namespaces", id="7.8-proxies-lead-to-services-anywhere"),
    ],
)
def test_check_tests_permission_to_list_services_in_the_namespaces_that_the_source_reads(
    live: Installation, source: str, namespace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(live, source, "--namespace=shop")
    lines = capsys.readouterr().out.splitlines()
    lines_found = [line for line in lines if line.startswith("ok       permission to list services ")]
    assert lines_found == [f"ok       permission to list services {namespace}"]


def test_check_shows_which_permissions_are_missing(
    live: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    for verb, resource in (
        ("list", "ingresses"),
        ("watch", "ingresses"),
        ("update", "configmaps"),
        ("patch", "events"),
    ):
        live.server.access.forbid(verb, resource)
    assert check(live) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("missing")] == [
        "missing  permission to list ingresses.networking.k8s.io in all namespaces",
        "missing  permission to watch ingresses.networking.k8s.io in all namespaces",
        "missing  permission to patch events.events.k8s.io in all namespaces",
        "missing  permission to update configmaps extdns-state in dns",
        "missing  reading: Ingress objects are forbidden",
    ]
    assert lines[-1] == "5 things missing."


def test_check_compares_the_owner_id_with_those_of_the_saved_state(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    def find_line() -> str:
        capsys.readouterr()
        assert check(live) == 0
        return next(line for line in capsys.readouterr().out.splitlines() if "saved state" in line)

    assert live.run_once("--state-configmap=dns/extdns-state") == 0
    assert find_line() == "ok       saved state: of owner id me"
    live.server.delete("ConfigMap", "dns", "extdns-state")
    assert find_line() == (
        "unknown  saved state: ConfigMap dns/extdns-state has none of owner id me, which has 1 record"
    )


def test_with_leader_election_check_tests_the_permission_to_update_leases(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(live, "--leader-elect", "--leader-elect-resource-namespace=dns") == 0
    output = capsys.readouterr().out
    assert "permission to update leases.coordination.k8s.io " in output


@pytest.mark.parametrize(
    ("more", "resources"),
    [
        pytest.param((), {"endpointslices.discovery.k8s.io", "nodes", "pods"}, id="all types"),
        pytest.param(("--service-type-filter=LoadBalancer",), set[str](), id="load balancers only"),
    ],
)
def test_check_tests_permission_for_the_objects_that_a_source_looks_up(
    live: Installation, more: tuple[str, ...], resources: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(live, *more) == 0
    found = {line.split()[4] for line in capsys.readouterr().out.splitlines() if "permission to list" in line}
    assert found == {"services", "ingresses.networking.k8s.io", *resources}


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    found = Installation(tmp_path, sources=["service"], example_org="")
    found.replace_manifests(service("web", "web.example.org"))
    return found


def test_check_reports_as_missing_that_no_object_was_read(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests()
    assert cli.main(["check", *installation.flags()], {}) == 1
    lines = capsys.readouterr().out.splitlines()
    path = f"--manifests={installation.manifests}"
    assert f"missing  scope: no object was read from {path} for --source=service" in lines


def test_check_reports_as_unknown_that_the_objects_that_were_read_request_no_name(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests({**service("web"), "metadata": {"name": "web", "namespace": "shop"}})
    assert cli.main(["check", *installation.flags()], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "unknown  scope: 1 object was read, and it requests no name" in lines
    assert lines[-1] == "Nothing is known to be missing, but 1 thing is unknown."


def test_check_lists_flags_without_effect_apart_from_what_is_unknown(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", *installation.flags("--kube-api-qps=5")], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "note     --kube-api-qps has no effect: objects are listed once and watched from then on" in lines
    assert lines[-1] == "Nothing is missing."


def test_check_reports_as_missing_that_all_that_is_requested_belongs_to_another_owner(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.run_once(owner="other")
    assert cli.main(["check", *installation.flags()], {}) == 1
    lines = capsys.readouterr().out.splitlines()
    text = "records that are not ours (owned by other) stand in the way of all that is requested: web.example.org"
    assert f"missing  scope: {text}" in lines


def check_file(installation: Installation, flag: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what `extdns check` prints about *flag*, which names a file."""
    cli.main(["check", *installation.flags(), flag], {})
    (line,) = (line for line in capsys.readouterr().out.splitlines() if flag in line)
    return line.replace(f"{flag}: ", "")


def test_check_reports_whether_the_state_file_can_be_written(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    flag = f"--state-file={tmp_path / 'state.json'}"
    assert check_file(installation, flag, capsys) == "ok       there is no saved state yet; the file can be created"
    assert installation.run_once(flag) == 0
    capsys.readouterr()
    assert check_file(installation, flag, capsys) == "ok       the file can be read and replaced"
    (tmp_path / "state.json").write_text("[]")
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    assert check_file(installation, flag, capsys).startswith("missing  state file ")


def test_check_reports_whether_the_audit_log_can_be_written_and_locked(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "audit.jsonl"
    flag = f"--audit-log={path}"
    assert check_file(installation, flag, capsys) == "ok       the file can be created"
    assert not path.exists()
    log = RotatedFile(path, max_mib=1, max_files=1)
    log.write(b"")
    assert check_file(installation, flag, capsys) == "unknown  another process writes the file"
    log.close()
    assert check_file(installation, flag, capsys) == "ok       the file can be written"
    missing = f"--audit-log={tmp_path / 'no' / 'audit.jsonl'}"
    assert check_file(installation, missing, capsys).startswith("missing  there is no folder ")


def test_check_reports_a_read_only_folder_of_the_state_file_and_the_audit_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with TemporaryDirectory(dir="/tmp") as folder:  # which every user can reach
        Path(folder).chmod(0o755)
        installation = Installation(Path(folder), example_org="")
        installation.replace_manifests(service("web", "web.example.org"))
        cli.main(["check", *installation.flags()], {})  # imports everything that the command needs
        Path(folder).chmod(0o555)  # for whoever runs the tests, too
        with unprivileged():
            for flag in (f"--state-file={folder}/state.json", f"--audit-log={folder}/audit.jsonl"):
                assert f"the folder {folder} is read-only for user " in check_file(installation, flag, capsys)
        Path(folder).chmod(0o755)


def test_check_reports_a_flag_value_that_cannot_match_anything(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", *installation.flags("--managed-record-types=A,TXT")], {}) == 1
    output = capsys.readouterr()
    assert output.out.startswith(
        "missing  --managed-record-types=A,TXT is not a record type: it matches nothing\n"
        "         commas do not separate; write --managed-record-types=A --managed-record-types=TXT\n"
    )


def test_the_zone_id_filter_selects_a_zone_file_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    installation = Installation(tmp_path, example_org="", example_net="")
    installation.replace_manifests(service("web", "web.example.org"))
    assert cli.main(["check", *installation.flags("--zone-id-filter=example.org.zone")], {}) == 0
    output = capsys.readouterr().out
    assert "zone example.org (example.org.zone)" in output
    assert "example.net" not in output


def test_check_prints_json(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *installation.flags("--output=json")], {}) == 0
    document = msgspec.json.decode(capsys.readouterr().out, type=CheckDocument)
    assert [(one.what, one.state) for one in document.checks] == [
        ("zone example.org (example.org.zone)", "ok"),
        ("objects", "ok"),
        ("permission to change zone example.org (example.org.zone)", "ok"),
    ]


def test_check_compiles_the_rules_and_names_those_that_cannot_be_used(
    live: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.yaml"
    flag = f"--policy-rules={rules}"
    good, broken = (
        f"apiVersion: extdns.io/v1alpha1\nkind: DNSPolicy\nmetadata: {{name: {name}}}\n"
        f"spec: {{match: {{domains: [none.example]}}, validations: [{{expression: {expression}}}]}}\n"
        for name, expression in (("good", "record.ttl >= 0"), ("broken", "record.nmae == 1"))
    )
    rules.write_text(good, encoding="utf-8")
    assert check(live, flag) == 0
    assert f"ok       DNSPolicy good in {rules}: compiled, action deny" in capsys.readouterr().out
    rules.write_text(f"{good}---\n{broken}", encoding="utf-8")
    assert check(live, flag) == 1
    output = capsys.readouterr().out
    assert f"missing  DNSPolicy broken in {rules}: spec.validations[0].expression refers to record.nmae" in output
    rules.write_text(f"{good}---\n{good}", encoding="utf-8")
    assert check(live, flag) == 1
    again = f"{rules}:6: DNSPolicy good is also in {rules}:1, which is used"
    assert [line for line in capsys.readouterr().out.splitlines() if "is also in" in line] == [
        f"missing  DNSPolicy good in {rules}: {again}"
    ]
    rules.write_text("", encoding="utf-8")
    assert check(live, flag) == 0
    assert "unknown  rules: there are no DNSPolicies, so none denies anything" in capsys.readouterr().out


def test_a_flag_of_another_provider_is_shown_and_is_no_failure(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", *installation.flags("--cloudflare-proxied")], {}) == 0
    shown = "note     --cloudflare-proxied has no effect with --provider=zonefile: it is a flag of cloudflare\n"
    assert shown in capsys.readouterr().out
