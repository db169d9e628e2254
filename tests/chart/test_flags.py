"""Every flag can be given by values, and values give what they say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from extdns import __version__
from extdns.config import parse
from extdns.flags.chart import NAMED, VALUES, schema
from extdns.flags.flag import Flag
from extdns.flags.kind import PAIR
from extdns.flags.parser import read
from extdns.flags.sources import PREFIX
from extdns.flags.support import AVAILABLE
from extdns.flags.table import BY_NAME, FLAGS
from tests.chart.tools import CHART, ROOT, Helm, arguments, container, value_files, values_of

QUIET: Final = {"logLevel": "", "logFormat": "", "interval": "", "sources": [], "policy": "", "registry": ""}
"""Takes back what values.yaml gives."""
BY_MAP: Final = [flag for flag in FLAGS if flag.environment and not flag.secret]


def example(flag: Flag) -> Any:  # noqa: ANN401 - as many types as kinds
    """A value that is not the default, as YAML has it."""
    if flag.is_switch:
        return not flag.default
    one = _example(flag)
    return [one, one] if flag.repeatable else one


def _example(flag: Flag) -> object:
    kind = flag.kind
    choices = AVAILABLE.get(flag.name) or tuple(filter(None, kind.choices))
    if choices:
        return next(choice for choice in choices if choice != flag.default)
    for text in (73, "73s", "1.2.3.4:73", "https://73.example", "team73"):
        try:
            kind.read(str(text))
        except ValueError:
            continue
        return text
    return "k73=v73" if kind is PAIR else "prefix73.example/" if kind is PREFIX else ""


def written(flag: Flag, value: Any) -> Iterator[object]:  # noqa: ANN401 - as many types as kinds
    """What reading *value* from the command line gives."""
    for one in value if isinstance(value, list) else (value,):
        yield one if isinstance(one, bool) else flag.kind.read(str(one))


def test_the_schema_is_the_one_that_values_and_flags_give() -> None:
    kept = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    made = schema(yaml.safe_load(VALUES.read_text(encoding="utf-8")))
    assert kept == made, "run: python -m extdns.flags.chart > charts/extdns/values.schema.json"


def test_the_chart_is_of_the_version_of_the_program() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)


def test_every_flag_is_an_argument_that_values_can_give(helm: Helm) -> None:
    given = {flag.name: example(flag) for flag in BY_MAP if flag.name != "provider"}
    assert all(value not in ("", []) for value in given.values())
    found = read(arguments(helm.manifests(QUIET | {"extraArgs": given})), {})
    wanted = {name: tuple(written(BY_NAME[name], value)) for name, value in given.items()}
    assert {name: setting.value for name, setting in found.items()} == {
        "provider": "aws",
        **{name: values if BY_NAME[name].repeatable else values[0] for name, values in wanted.items()},
    }


def test_every_secret_flag_is_a_variable_that_refers_to_a_secret(helm: Helm) -> None:
    secrets = {flag.name: {"name": "s", "key": flag.name} for flag in FLAGS if flag.secret}
    found = container(helm.manifests({"secretArgs": secrets}))["env"]
    variables = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in found if "secretKeyRef" in one["valueFrom"]}
    assert variables == {BY_NAME[name].variable: ref for name, ref in secrets.items()}


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"extraArgs": {"txt-encrypt-aes-key": "k"}}, id="map"),
        pytest.param({"extraArgs": ["--txt-encrypt-aes-key=k"]}, id="list"),
        pytest.param({"env": [{"name": "EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY", "value": "k"}]}, id="variable"),
        pytest.param({"env": [{"name": "AWS_SECRET_ACCESS_KEY", "value": "k"}]}, id="key-of-aws"),
        pytest.param({"secretArgs": {"txt-encrypt-aes-key": "k"}}, id="as-if-it-were-none"),
    ],
)
def test_a_secret_is_not_taken_but_by_reference(helm: Helm, values: dict[str, Any]) -> None:
    assert "values don't meet the specifications of the schema" in helm.refusal(values)


@pytest.mark.parametrize("value", NAMED)
def test_a_named_value_is_its_flag(value: str, helm: Helm) -> None:
    flag = BY_NAME[NAMED[value]]
    values = values_of("everything") | ({"txtPrefix": "", "txtSuffix": "-1"} if value == "txtSuffix" else {})
    args = [arg for arg in arguments(helm.manifests(values)) if named(arg) == flag.name]
    wanted = tuple(written(flag, values[value]))
    assert read(args, {})[flag.name].value == (wanted if flag.repeatable else wanted[0])


def named(argument: str) -> str:
    """The flag of an argument."""
    return argument.removeprefix("--").partition("=")[0]


@pytest.mark.parametrize("name", value_files())
def test_the_program_takes_the_arguments(helm: Helm, name: str) -> None:
    found = container(helm.manifests(values_of(name)))
    environ = {one["name"]: "0123456789abcdef" * 2 for one in found["env"] if "valueFrom" in one}
    parse(found["args"], environ)


def test_the_values_of_the_how_to_render(helm: Helm) -> None:
    page = (ROOT / "docs" / "how-to" / "install-with-helm.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```yaml\n")
    values = yaml.safe_load(rest.partition("```")[0])
    parsed = parse(arguments(helm.manifests(values)), {})
    assert parsed.election.leader_elect
    assert parsed.deletes.delete_grace_period_s == 300.0


def test_a_template_of_the_program_passes_through_those_of_helm(helm: Helm) -> None:
    written = "{{`{{.Name}}`}}.{{ .Release.Name }}.example.org"
    assert written.partition("}}.")[0] in (ROOT / "docs" / "how-to" / "install-with-helm.md").read_text(
        encoding="utf-8"
    )
    assert "--fqdn-template={{.Name}}.extdns.example.org" in arguments(
        helm.manifests({"extraArgs": {"fqdn-template": written}})
    )


def test_arguments_come_in_the_order_of_the_reference(helm: Helm) -> None:
    assert arguments(helm.manifests(values_of("reference"))) == [
        "--log-level=debug",
        "--log-format=json",
        "--interval=2m",
        "--events",
        "--source=service",
        "--source=ingress",
        "--source=istio-gateway",
        "--policy=upsert-only",
        "--registry=txt",
        "--txt-owner-id=my-cluster",
        "--txt-prefix=%{record_type}-edns.",
        "--domain-filter=example.org",
        "--domain-filter=example.net",
        "--exclude-domains=internal.example.org",
        "--provider=aws",
        "--aws-zone-type=public",
        "--aws-batch-change-size=500",
        "--aws-prefer-cname",
        "--txt-wildcard-replacement=extdns",
    ]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param({"provider": {"name": "webhook"}}, "'aws', 'google', 'inmemory', 'zonefile'", id="provider"),
        pytest.param({"sources": ["connector"]}, "/sources/0", id="source"),
        pytest.param({"registry": "dynamodb"}, "/registry", id="registry"),
        pytest.param({"policy": "sinc"}, "'sync', 'upsert-only', 'create-only'", id="policy"),
        pytest.param({"interval": "60"}, "/interval", id="a-duration-without-its-unit"),
        pytest.param({"extraArgs": {"aws-zone-typ": "public"}}, "aws-zone-typ", id="a-flag-that-is-none"),
        pytest.param({"extraArgs": {"aws-api-retries": "many"}}, "/extraArgs/aws-api-retries", id="no-number"),
        pytest.param({"extraArgs": {"once": "yes"}}, "/extraArgs/once", id="no-switch"),
        pytest.param({"domainFilter": ["a.example"]}, "domainFilter", id="a-value-that-is-none"),
        pytest.param({"txtPrefix": "a", "txtSuffix": "b"}, "txtPrefix and txtSuffix exclude each other", id="both"),
    ],
)
def test_a_mistake_stops_the_installation(helm: Helm, values: dict[str, Any], said: str) -> None:
    assert said in helm.refusal(values)
