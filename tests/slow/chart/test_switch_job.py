"""The Job that shows what a switch would change is like the Deployment of the release that is switched."""

from __future__ import annotations

import yaml

from extdns.command import list_commands
from extdns.config import parse
from tests.slow.chart.tools import ROOT, Helm, container, of


def test_the_job_before_a_switch_has_the_service_account_and_the_arguments_of_the_release(helm: Helm) -> None:
    job = yaml.safe_load((ROOT / "examples" / "switch" / "job.yaml").read_text(encoding="utf-8"))
    release = helm.manifests({"policy": "upsert-only", "provider": "aws", "txtOwnerId": "shop"})
    (deployment,) = of("Deployment", release)
    pod = job["spec"]["template"]["spec"]
    (job_container,) = pod["containers"]
    command, *flags = job_container["args"]
    assert command in list_commands()
    assert parse(flags, {}).registry == parse(container(release)["args"], {}).registry
    assert set(flags) <= set(container(release)["args"])
    assert pod["serviceAccountName"] == deployment["spec"]["template"]["spec"]["serviceAccountName"]
