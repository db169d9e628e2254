"""The values on tutorials and on how-to pages give the flags that the pages describe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns.config import parse
from providers.octodns.spec import PROVIDER as OCTODNS
from providers.rfc2136.spec import PROVIDER as RFC2136
from tests.slow.chart.tools import RELEASE, ROOT, Helm, arguments, container, of

VALUES: Final = re.compile(r"`values.yaml`:\n\n```yaml\n(.*?)```\n", re.DOTALL)


FROM_FILE: Final = re.compile(r"`values-file.yaml`:\n\n```yaml\n(.*?)```\n", re.DOTALL)


def test_the_password_for_kerberos_is_mounted_as_a_file(helm: Helm) -> None:
    (block,) = VALUES.findall((ROOT / "docs" / "how-to" / "sign-updates-with-kerberos.md").read_text(encoding="utf-8"))
    manifests = helm.manifests(yaml.safe_load(block))
    config = parse(arguments(manifests), {})
    (mounted,) = [one for one in container(manifests)["volumeMounts"] if one["name"] == "password"]
    assert Path(RFC2136.find_flags(config).rfc2136_kerberos_password_file).parent == Path(mounted["mountPath"])


def test_the_secret_of_dns_update_can_be_mounted_as_a_file(helm: Helm) -> None:
    (block,) = FROM_FILE.findall((ROOT / "docs" / "tutorials" / "bind.md").read_text(encoding="utf-8"))
    manifests = helm.manifests(yaml.safe_load(block))
    config = parse(arguments(manifests), {})
    (mounted,) = [one for one in container(manifests)["volumeMounts"] if one["name"] == "tsig"]
    assert Path(RFC2136.find_flags(config).rfc2136_tsig_secret_file).parent == Path(mounted["mountPath"])
    assert "tsig" in [
        volume["name"] for volume in of("Deployment", manifests)[0]["spec"]["template"]["spec"]["volumes"]
    ]


SWITCH: Final = (ROOT / "docs" / "tutorials" / "from-the-external-dns-chart.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "kind", "path"),
    [
        pytest.param("application.yaml", "Application", ("source", "helm", "valuesObject"), id="argo-cd"),
        pytest.param("helmrelease.yaml", "HelmRelease", ("values",), id="flux"),
    ],
)
def test_the_tutorial_values_for_argo_cd_and_flux_keep_the_object_names_of_the_external_dns_chart(
    helm: Helm, file: str, kind: str, path: tuple[str, ...]
) -> None:
    block, _, _ = SWITCH.partition(f"`{file}`:\n\n```yaml\n")[2].partition("```")
    (obj,) = of(kind, list(yaml.safe_load_all(block)))
    values = obj["spec"]
    for name in path:
        values = values[name]
    (deployment,) = of("Deployment", helm.manifests(values))
    assert deployment["metadata"]["name"] == RELEASE
    assert deployment["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"] == "external-dns"


def test_the_tutorial_values_for_octodns_mount_the_configuration_file_that_the_flag_names(helm: Helm) -> None:
    (block,) = VALUES.findall((ROOT / "docs" / "reference" / "octodns.md").read_text(encoding="utf-8"))
    manifests = helm.manifests(yaml.safe_load(block))
    config = parse(arguments(manifests), {})
    assert (config.control.provider, config.election.leader_elect) == ("octodns", False)
    (deployment,) = of("Deployment", manifests)
    assert deployment["spec"]["strategy"]["type"] == "Recreate"
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (mount,) = (one for one in container["volumeMounts"] if one["name"] == "octodns")
    assert OCTODNS.find_flags(config).octodns_config == f"{mount['mountPath']}/production.yaml"
    assert {"name": "octodns", "configMap": {"name": "octodns"}} in pod["volumes"]
    (token,) = (one for one in container["env"] if one["name"] == "POWERDNS_API_KEY")
    assert token["valueFrom"]["secretKeyRef"] == {"name": "powerdns", "key": "api-key"}
