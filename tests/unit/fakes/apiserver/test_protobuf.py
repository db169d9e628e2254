"""The fake API server decodes the protobuf bodies that Helm sends."""

import pytest

from tests.fakes.apiserver import protobuf
from tests.fakes.apiserver.statuses import ApiError


def field(number: int, content: bytes) -> bytes:
    """Return a field of a protobuf message, shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def encode(kind: str, message: bytes) -> bytes:
    """Return the body with an object of *kind*."""
    return b"k8s\0" + field(1, field(1, b"v1") + field(2, kind.encode())) + field(2, message)


def test_a_secret_is_decoded_with_its_labels_and_data() -> None:
    metadata = field(1, b"release") + field(3, b"dns") + field(11, field(1, b"owner") + field(2, b"helm"))
    number = bytes([8 << 3, 5])
    message = field(1, metadata + number) + field(2, field(1, b"release") + field(2, b"\x00\xff")) + field(3, b"helm")
    assert protobuf.decode(encode("Secret", message)) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "release",
            "namespace": "dns",
            "uid": "",
            "resourceVersion": "",
            "labels": {"owner": "helm"},
        },
        "data": {"release": "AP8="},
        "type": "helm",
    }


def test_delete_options_in_protobuf_are_decoded_and_other_kinds_get_a_400() -> None:
    assert protobuf.decode(encode("DeleteOptions", b"")) == {}
    with pytest.raises(ApiError, match="the fake decodes no Pod in protobuf"):
        protobuf.decode(encode("Pod", b""))
