"""Values that cannot work are refused with one message that says what to change."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.slow.chart.tools import Helm, container

EXPLAINED: Final = "extdns cannot run with these values:\n  - "
PLAIN_SECRET: Final = "is a secret, and would be readable in the Deployment."


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param(
            {"image": {"repository": "mirror.example.org/dns/external-dns"}},
            "image.repository mirror.example.org/dns/external-dns is the image of external-dns,",
            id="external-dns-image-in-a-mirror",
        ),
        pytest.param(
            {"image": {"repository": "mirror.example.org/external-dns@sha256", "tag": "0" * 64}},
            "image.repository mirror.example.org/external-dns@sha256 is the image of external-dns,",
            id="digest-of-external-dns",
        ),
        pytest.param(
            {"image": {"tag": "v0.21.0"}},
            "image.tag v0.21.0 is a version of external-dns; versions of extdns have no v. Remove image.tag",
            id="tag-of-external-dns",
        ),
        pytest.param({"policy": None}, "policy is not set.", id="no-policy"),
        pytest.param({"policy": ""}, "policy is not set.", id="empty-policy"),
        pytest.param(
            {"provider": "hetzner"}, "provider.name: this version of extdns has no provider hetzner;", id="provider"
        ),
        pytest.param(
            {"env": [{"name": "EXTERNAL_DNS_REGISTRY", "value": "etcd"}], "registry": ""},
            "registry: this version of extdns has no registry etcd;",
            id="registry-in-environment",
        ),
        pytest.param(
            {"extraArgs": ["--source=connector"]}, "sources: this version of extdns has no source connector;", id="arg"
        ),
        pytest.param(
            {"txtPrefix": "a", "txtSuffix": "b"},
            "txtPrefix and txtSuffix exclude each other. Remove one of them.",
            id="prefix-and-suffix",
        ),
        pytest.param(
            {"extraArgs": ["--aws-zone-typ=public"]}, "extraArgs: --aws-zone-typ is no flag of extdns", id="list"
        ),
        pytest.param({"extraArgs": {"aws-zone-typ": 1}}, "extraArgs: --aws-zone-typ is no flag of extdns", id="map"),
        pytest.param({"extraArgs": ["--no-aws-zone-type"]}, "--no-aws-zone-type is no flag of extdns", id="no-switch"),
        pytest.param({"extraArgs": ["-v"]}, "extraArgs: -v is no flag of extdns", id="short-flag"),
        pytest.param({"extraArgs": ["public"]}, "extraArgs: public is no flag of extdns", id="value-without-flag"),
        pytest.param({"interval": 30}, "--interval=30 is not a duration.", id="duration-without-unit"),
        pytest.param({"extraArgs": {"request-timeout": 60}}, "--request-timeout=60 is not a duration.", id="map-value"),
        pytest.param({"extraArgs": ["--aws-zone-type", "foo"]}, "--aws-zone-type=foo is not", id="list-value"),
        pytest.param({"extraArgs": ["--aws-assume-role"]}, "--aws-assume-role has no value.", id="flag-without-value"),
        pytest.param({"extraArgs": ["--events=true"]}, "--events=true is a switch,", id="switch-with-value"),
        pytest.param({"extraArgs": ["--policy=sync"]}, "extraArgs: --policy is given twice.", id="given-twice"),
        pytest.param(
            {"extraArgs": {"txt-encrypt-aes-key": "k"}},
            f"extraArgs: --txt-encrypt-aes-key {PLAIN_SECRET} Put it into a Secret, and set secretArgs: "
            "{txt-encrypt-aes-key: {name: SECRET, key: KEY}}.",
            id="secret-in-a-map",
        ),
        pytest.param(
            {"extraArgs": ["--txt-encrypt-aes-key", "k"]},
            f"extraArgs: --txt-encrypt-aes-key {PLAIN_SECRET}",
            id="secret-in-a-list",
        ),
        pytest.param(
            {"env": [{"name": "EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY", "value": "k"}]},
            f"env: EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY {PLAIN_SECRET}",
            id="secret-in-a-variable",
        ),
        pytest.param(
            {"env": [{"name": "AWS_SECRET_ACCESS_KEY", "value": "k"}]},
            f"env: AWS_SECRET_ACCESS_KEY {PLAIN_SECRET}",
            id="key-of-aws",
        ),
        *(
            pytest.param(
                {"resources": {"limits": {"memory": memory}}, **values},
                f"extdns needs at least {needed} names",
                id=f"memory-{memory}",
            )
            for memory, values, needed in (
                ("50Mi", {}, "96Mi for 1000"),
                ("100000k", {}, "96Mi for 1000"),
                (64000000, {}, "96Mi for 1000"),
                ("0.05Gi", {}, "96Mi for 1000"),
                ("128Mi", {"names": 10000}, "159Mi for 10000"),
                ("111Mi", {"extraArgs": {"policy-rules": "/rules"}}, "112Mi for 1000"),
                ("438Mi", {"names": 49001}, "439Mi for 49001"),
            )
        ),
        *(
            pytest.param(
                {"replicaCount": 2, "extraArgs": [f"--{flag}"]},
                f"replicaCount 2 and --{flag} do not go together: several replicas elect one that writes. "
                f"Set replicaCount: 1, or remove --{flag}.",
                id=flag,
            )
            for flag in ("no-leader-elect", "compat", "no-aws-conditional-writes")
        ),
    ],
)
def test_a_chart_value_that_cannot_work_is_refused_with_a_remedy(
    helm: Helm, values: dict[str, Any], message: str
) -> None:
    error = helm.refusal(values)
    assert EXPLAINED in error
    assert message in error
    assert error.count("\n  - ") == 1


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"image": {"repository": "mirror.example.org/extdns", "tag": "v1"}}, id="tag-of-a-mirror"),
        pytest.param({"interval": 0, "extraArgs": ["--request-timeout=$(TIMEOUT)"]}, id="zero-and-a-variable"),
        pytest.param({"extraArgs": ["@/flags", "--no-events", "--zone-id-filter", "Z1"]}, id="arguments"),
        pytest.param({"extraArgs": {"no-events": None}}, id="negated-switch-without-value"),
        pytest.param({"extraArgs": {"txt-wildcard-replacement": "{{ .Release.Name }}"}}, id="template"),
        *(
            pytest.param({"resources": {"limits": {"memory": memory}}}, id=f"memory-{memory}")
            for memory in ("96Mi", "1Gi", "128M", 200000000, None)
        ),
        pytest.param({"names": 10000, "resources": {"limits": {"memory": "159Mi"}}}, id="memory-for-10000-names"),
    ],
)
def test_valid_but_unusual_chart_values_are_accepted(helm: Helm, values: dict[str, Any]) -> None:
    assert container(helm.manifests(values))["image"]


def test_with_compat_switched_off_the_chart_accepts_a_missing_policy_value_and_renders_no_policy_flag(
    helm: Helm,
) -> None:
    assert not [arg for arg in container(helm.manifests({"compat": False, "policy": None}))["args"] if "policy" in arg]
