"""DNSRecords in the real API server, with the CRD of the chart."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.errors import RefusedError
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, RecordKey
from extdns.model.value import StringMap
from registry.rows.row import Row, RowChange, RowsChangedError
from tests.conformance.test_row_stores import open_flags
from tests.kubernetes.cluster import Cluster


def test_the_real_api_server_keeps_rows_and_refuses_changes_of_others(
    any_version: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_version.create_namespace("dns")
    monkeypatch.setenv("POD_NAMESPACE", "dns")
    store = open_flags("--registry=crd", f"--kubeconfig={any_version.kubeconfig(tmp_path / 'kubeconfig')}")
    key = RecordKey(DnsName("*.web.x.test"), "blue", "A")
    labels = StringMap.from_items({"resource": "service/shop/web"})
    row = Row(id=store.build_id(key), key=key, owner="me", labels=labels)
    record = DesiredRecord(
        name=key.name,
        type="A",
        targets=("192.0.2.1",),
        ttl_s=60,
        properties=StringMap.from_items({"aws/weight": "1"}),
    )
    changed, theirs = replace(row, labels=StringMap()), replace(row, owner="you")
    for change in (
        RowChange(old=None, new=row, record=record),
        RowChange(old=row, new=row),
        RowChange(old=row, new=changed),
        RowChange(old=changed, new=row),
    ):
        store.write([change])
        assert list(store.read_all()) == [change.new]
    found = any_version.get("DNSRecord", "dns", row.id)
    assert found
    assert found["spec"]["endpoint"] == {
        "dnsName": "*.web.x.test",
        "recordType": "A",
        "setIdentifier": "blue",
        "targets": ["192.0.2.1"],
        "recordTTL": 60,
        "labels": {"owner": "me", "resource": "service/shop/web"},
        "providerSpecific": [{"name": "aws/weight", "value": "1"}],
    }
    assert found["status"]["conditions"][0]["reason"] == "Programmed"
    for refused in (
        RowChange(old=None, new=theirs),
        RowChange(old=theirs, new=theirs),
        RowChange(old=theirs, new=None),
    ):
        with pytest.raises(RowsChangedError):
            store.write([refused])
    with pytest.raises(RefusedError):
        store.write([RowChange(old=row, new=replace(row, owner="no label"))])
    for _ in range(2):
        store.write([RowChange(old=row, new=None)])
    assert list(store.read_all()) == []
