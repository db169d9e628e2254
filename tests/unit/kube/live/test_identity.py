"""What identifies a cluster: the issuer of its tokens, and the digest of its certificates."""

from __future__ import annotations

import base64
import json

import pytest

from extdns.kube.live.identity_reader import digest_authority, find_issuer

ONE = b"-----BEGIN CERTIFICATE-----\nAAAA\nBBBB\n-----END CERTIFICATE-----\n"
TWO = b"-----BEGIN CERTIFICATE-----\nCCCC\n-----END CERTIFICATE-----\n"


def token(payload: object) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip('=')}.c2ln"


@pytest.mark.parametrize(
    ("text", "issuer"),
    [
        pytest.param(token({"iss": "https://oidc.eks.example/id/7F3A"}), "https://oidc.eks.example/id/7F3A", id="eks"),
        pytest.param(
            token({"iss": "https://container.googleapis.com/v1/projects/p/c"}),
            "https://container.googleapis.com/v1/projects/p/c",
            id="gke",
        ),
        pytest.param(token({"iss": "https://kubernetes.default.svc.cluster.local"}), "", id="kubeadm"),
        pytest.param(token({"iss": "https://kubernetes.default.svc.corp.internal"}), "", id="another-domain"),
        pytest.param(token({"iss": "https://kubernetes.default.svc"}), "", id="k3s"),
        pytest.param(token({"iss": "kubernetes.default.svc"}), "", id="no-url"),
        pytest.param(token({"iss": "kubernetes/serviceaccount"}), "", id="old-tokens"),
        pytest.param(token({"iss": "https://[kubernetes"}), "https://[kubernetes", id="no-url-at-all"),
        pytest.param(token({"iss": 7}), "", id="no-text"),
        pytest.param(token({"sub": "me"}), "", id="none"),
        pytest.param(token(["iss"]), "", id="a-list"),
        pytest.param("k8s-aws-v1.aHR0cHM6Ly9zdHM", "", id="eks-exec"),
        pytest.param("secret", "", id="opaque"),
        pytest.param("", "", id="nothing"),
        pytest.param("a.\u00fc.b", "", id="no-ascii"),
    ],
)
def test_the_token_issuer_identifies_the_cluster_unless_it_is_an_issuer_that_many_clusters_share(
    text: str, issuer: str
) -> None:
    assert find_issuer(text) == issuer


def test_the_digest_of_certificates_does_not_depend_on_their_order_and_layout() -> None:
    laid_out = b"# the CA\r\n" + ONE.replace(b"\n", b"\r\n").replace(b"BBBB", b"  BBBB") + b"junk"
    assert digest_authority(laid_out) == digest_authority(ONE)
    assert digest_authority(ONE + TWO) == digest_authority(TWO + ONE + ONE)
    assert digest_authority(ONE) != digest_authority(TWO)
    assert len(digest_authority(ONE)) == 32


@pytest.mark.parametrize(
    "pem",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"secret", id="no-certificate"),
        pytest.param(b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", id="no-base64"),
        pytest.param(
            b"".join(ONE.replace(b"AAAA", f"A{n:03}".encode()) for n in range(11)),
            id="certificates-of-an-operating-system",
        ),
    ],
)
def test_a_file_without_certificates_or_with_those_of_an_operating_system_has_no_digest(pem: bytes) -> None:
    assert digest_authority(pem) == ""
