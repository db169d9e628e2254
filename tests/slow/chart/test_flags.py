"""Every flag can be set by values of the chart, and the rendered arguments are valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from extdns.config import parse
from extdns.flags.flag import Flag
from extdns.flags.kind import KEY_VALUE
from extdns.flags.parser import parse_settings
from extdns.flags.sources import PREFIX
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.validation import AVAILABLE
from tests.slow.chart.tools import ROOT, Helm, arguments, container, value_files, values_of
from tools.chart import FLAG_BY_VALUE

QUIET: Final = {
    "logLevel": "",
    "logFormat": "",
    "auditLog": "",
    "interval": "",
    "sources": [],
    "policy": "",
    "registry": "",
}
"""Values that undo the flags of values.yaml."""
BY_MAP: Final = [flag for flag in FLAGS if flag.environment and not flag.secret]


def example(flag: Flag) -> Any:  # noqa: ANN401 - as many types as kinds
    """Return a value of *flag* that is not its default, as YAML has it."""
    if flag.is_switch:
        return not flag.default
    one = _example(flag)
    return [one, one] if flag.repeatable else one


def _example(flag: Flag) -> object:
    kind = flag.kind
    choices = AVAILABLE.get(flag.name) or tuple(filter(None, kind.choices))
    if choices:
        return next(choice for choice in choices if choice != flag.default)
    for text in (73, "73s", "37s", "1.2.3.4:73", "https://73.example", "7373-7373", "team73"):
        try:
            kind.parse(str(text))
        except ValueError:
            continue
        return text
    return "k73=v73" if kind is KEY_VALUE else "prefix73.example/" if kind is PREFIX else ""


def parse_values(flag: Flag, value: Any) -> Iterator[object]:  # noqa: ANN401 - as many types as kinds
    for one in value if isinstance(value, list) else (value,):
        yield one if isinstance(one, bool) else flag.kind.parse(str(one))


def test_every_flag_except_provider_can_be_set_by_the_chart_value_extra_args(helm: Helm) -> None:
    values_by_flag = {flag.name: example(flag) for flag in BY_MAP if flag.name != "provider"}
    assert all(value not in ("", []) for value in values_by_flag.values())
    found = parse_settings(arguments(helm.manifests(QUIET | {"extraArgs": values_by_flag})), {})
    expected = {name: tuple(parse_values(BY_NAME[name], value)) for name, value in values_by_flag.items()}
    assert {name: setting.value for name, setting in found.items()} == {
        "provider": "aws",
        **{name: values if BY_NAME[name].repeatable else values[0] for name, values in expected.items()},
    }


def test_every_secret_flag_in_secret_args_becomes_a_variable_that_refers_to_its_kubernetes_secret(helm: Helm) -> None:
    secrets = {flag.name: {"name": "s", "key": flag.name} for flag in FLAGS if flag.secret}
    found = container(helm.manifests({"secretArgs": secrets}))["env"]
    variables = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in found if "secretKeyRef" in one["valueFrom"]}
    assert variables == {BY_NAME[name].variable: ref for name, ref in secrets.items()}


@pytest.mark.parametrize("value", FLAG_BY_VALUE)
def test_a_chart_value_named_for_a_flag_sets_that_flag(value: str, helm: Helm) -> None:
    flag = BY_NAME[FLAG_BY_VALUE[value]]
    values = values_of("everything") | ({"txtPrefix": "", "txtSuffix": "-1"} if value == "txtSuffix" else {})
    args = [arg for arg in arguments(helm.manifests(values)) if find_flag(arg) == flag.name]
    expected = tuple(parse_values(flag, values[value]))
    assert parse_settings(args, {})[flag.name].value == (expected if flag.repeatable else expected[0])


def find_flag(argument: str) -> str:
    return argument.removeprefix("--").partition("=")[0]


@pytest.mark.parametrize("name", value_files())
def test_the_program_accepts_the_arguments_that_the_chart_renders_for_each_values_file_of_the_tests(
    helm: Helm, name: str
) -> None:
    found = container(helm.manifests(values_of(name)))
    environ = {one["name"]: "0123456789abcdef" * 2 for one in found["env"] if "valueFrom" in one}
    parse(found["args"], environ)


def test_the_chart_values_on_the_page_about_installing_with_helm_render_valid_flags(helm: Helm) -> None:
    page = (ROOT / "docs" / "how-to" / "install-with-helm.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```yaml\n")
    values = yaml.safe_load(rest.partition("```")[0])
    parsed = parse(arguments(helm.manifests(values)), {})
    assert parsed.election.leader_elect
    assert parsed.deletes.delete_grace_period_s == 300.0


def test_an_fqdn_template_in_values_can_be_escaped_from_helm_templates(helm: Helm) -> None:
    parse_values = "{{`{{.Name}}`}}.{{ .Release.Name }}.example.org"
    assert parse_values.partition("}}.")[0] in (ROOT / "docs" / "how-to" / "install-with-helm.md").read_text(
        encoding="utf-8"
    )
    assert "--fqdn-template={{.Name}}.external-dns.example.org" in arguments(
        helm.manifests({"extraArgs": {"fqdn-template": parse_values}})
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"policy": "sinc"}, "'sync', 'upsert-only', 'create-only'", id="policy"),
        pytest.param({"interval": "60"}, "/interval", id="duration-without-unit"),
        pytest.param({"extraArgs": {"aws-api-retries": "many"}}, "/extraArgs/aws-api-retries", id="no-number"),
        pytest.param({"extraArgs": {"once": "yes"}}, "/extraArgs/once", id="no-switch"),
        pytest.param({"domainFilter": ["a.example"]}, "domainFilter", id="unknown-value"),
        pytest.param({"image": {"pullPolicy": "Sometimes"}}, "/image/pullPolicy", id="pull-policy"),
        pytest.param({"dnsPolicy": "Host"}, "/dnsPolicy", id="dns-policy"),
        pytest.param({"service": {"ipFamilies": ["IPv5"]}}, "/service/ipFamilies/0", id="ip-family"),
        pytest.param({"service": {"ipFamilyPolicy": "Both"}}, "/service/ipFamilyPolicy", id="ip-family-policy"),
        pytest.param({"deploymentStrategy": {"type": "Replace"}}, "/deploymentStrategy/type", id="strategy"),
        pytest.param({"image": {"digest": "sha256:1"}}, "/image/digest", id="digest"),
        pytest.param({"replicaCount": -1}, "/replicaCount", id="replicas"),
    ],
)
def test_the_values_schema_rejects_a_value_of_the_wrong_type_and_names_it(
    helm: Helm, values: dict[str, Any], message: str
) -> None:
    assert message in helm.refusal(values)
