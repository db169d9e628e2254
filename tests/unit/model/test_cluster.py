"""Cluster identities are compared by the parts that both of them have."""

from __future__ import annotations

import re

import pytest

from extdns.model.cluster import ClusterIdentity


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(ClusterIdentity(uid="a"), ClusterIdentity(uid="b"), True, id="another-uid"),
        pytest.param(ClusterIdentity(uid="a"), ClusterIdentity(uid="a"), False, id="same-uid"),
        pytest.param(ClusterIdentity(uid="a"), ClusterIdentity(authority="b"), False, id="no-common-part"),
        pytest.param(
            ClusterIdentity(uid="a", authority="x"),
            ClusterIdentity(uid="a", authority="y"),
            True,
            id="one-part-differs",
        ),
        pytest.param(
            ClusterIdentity(configured_id="prod"), ClusterIdentity(configured_id="test"), True, id="another-given-id"
        ),
        pytest.param(ClusterIdentity(), ClusterIdentity(uid="a"), False, id="unknown-identity"),
        pytest.param(
            ClusterIdentity(issuer="https://kubernetes.default.svc.cluster.local"),
            ClusterIdentity(issuer="https://oidc.eks.eu-central-1.amazonaws.com/id/1"),
            False,
            id="one-default-issuer",
        ),
    ],
)
def test_cluster_identities_differ_if_any_part_known_on_both_sides_differs(
    one: ClusterIdentity, other: ClusterIdentity, *, expected: bool
) -> None:
    assert one.differs_from(other) is expected
    assert other.differs_from(one) is expected


def test_the_default_issuer_alone_does_not_identify_a_cluster() -> None:
    assert not ClusterIdentity(issuer="https://kubernetes.default.svc").is_known
    assert ClusterIdentity(issuer="https://issuer.example.org").is_known


def test_an_update_of_a_cluster_identity_keeps_what_the_newer_one_does_not_know() -> None:
    known = ClusterIdentity(uid="a", issuer="https://kubernetes.default.svc", authority="b", configured_id="c")
    assert known.update(ClusterIdentity(authority="d")) == ClusterIdentity(
        uid="a", issuer="https://kubernetes.default.svc", authority="d", configured_id="c"
    )


def test_a_known_cluster_has_an_id_of_the_parts_that_identify_it() -> None:
    one = ClusterIdentity(uid="a")
    assert ClusterIdentity().id == ""
    assert re.fullmatch(r"[0-9a-f]{4}-[0-9a-f]{4}", one.id)
    assert one.id == ClusterIdentity(uid="a", issuer="https://kubernetes.default.svc/").id
    assert one.id != ClusterIdentity(uid="b").id
