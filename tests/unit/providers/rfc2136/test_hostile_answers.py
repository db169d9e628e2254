"""The provider rfc2136 in front of a server whose answers are malformed, forged or cut off: nothing is lost."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import dns.opcode
import dns.rcode
import pytest

from extdns.errors import ForbiddenError, ProviderError, RetryableError
from extdns.model.api_request import ApiCall
from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions
from providers.rfc2136.permissions import check_permission
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import DnsServer, Rfc2136Settings
from tests.conformance.provider import build_batch, create
from tests.fakes.primary_server import Answer, PrimaryServer
from tests.unit.providers.rfc2136 import hostile_answers as hostile
from tests.updatable import KEY

ZONE: Final = Zone(name=DnsName("example.org"), id="example.org")
APEX: Final = ("example.org", "NS")
WEB: Final = ("web.example.org", "A")
NO_ANSWER: Final = (
    hostile.close,
    hostile.cut_off,
    hostile.answer_with_garbage,
    hostile.answer_with_nothing,
    hostile.change_id,
    hostile.answer_as_query,
    hostile.change_opcode,
    hostile.omit_signature,
    hostile.sign_with_other_secret,
    hostile.sign_with_other_name,
    hostile.sign_with_other_algorithm,
    hostile.sign_for_other_time,
)


@pytest.fixture
def server() -> Iterator[PrimaryServer]:
    with PrimaryServer(ZONE.name) as found:
        yield found


def build_settings(server: PrimaryServer) -> Rfc2136Settings:
    return Rfc2136Settings(servers=(server.address,), zones=(ZONE.name,), key=KEY)


def create_web(zones: Rfc2136Zones) -> Outcome:
    return Rfc2136Writer(zones).submit(ZONE, build_batch(ZONE, [create(*WEB, "192.0.2.1")]))


def read_keys(zones: Rfc2136Zones) -> list[tuple[str, str]]:
    return [(one.name, one.type) for one in Rfc2136Reader(zones).read_page(ZONE, None).records]


@pytest.mark.parametrize("answer", NO_ANSWER)
def test_an_update_without_a_valid_answer_has_an_unknown_outcome_and_the_next_read_shows_the_record(
    server: PrimaryServer, answer: Answer
) -> None:
    server.answers = [answer]
    zones = Rfc2136Zones(replace(build_settings(server), servers=(server.address, server.address)))
    assert isinstance(create_web(zones), Unknown)
    assert server.opcodes == [dns.opcode.UPDATE]
    assert read_keys(zones) == [APEX, WEB]


def test_a_failed_update_has_an_unknown_outcome_if_the_zone_has_changed_or_cannot_be_read(
    server: PrimaryServer,
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    server.answers = [hostile.reject(dns.rcode.SERVFAIL), hostile.close]
    assert isinstance(create_web(zones), Unknown)
    server.answers = [hostile.answer_with_servfail]
    assert isinstance(create_web(zones), Unknown)
    assert read_keys(zones) == [APEX, WEB]


def test_the_permission_check_fails_for_a_server_that_ignores_prerequisites(server: PrimaryServer) -> None:
    server.answers = [hostile.reject(dns.rcode.NOERROR)]
    found = check_permission(build_settings(server), ZONE)
    assert found.granted is False
    assert "ignores prerequisites" in found.detail


@pytest.mark.parametrize(
    ("rcode", "remedy"),
    [
        pytest.param(dns.rcode.REFUSED, "let the key update the zone (BIND: ", id="REFUSED"),
        pytest.param(dns.rcode.NOTAUTH, "if the server has no such zone, correct --rfc2136-zone", id="NOTAUTH"),
    ],
)
def test_the_permission_check_says_what_to_do_about_a_refusal(
    server: PrimaryServer, rcode: dns.rcode.Rcode, remedy: str
) -> None:
    server.answers = [hostile.reject(rcode), hostile.reject(rcode)]
    found = check_permission(build_settings(server), ZONE)
    assert (found.granted, found.detail) == (False, f"the server answers {dns.rcode.to_text(rcode)}")
    assert remedy in found.remedy


def test_the_permission_check_names_the_flags_of_a_server_that_cannot_be_reached(server: PrimaryServer) -> None:
    with socket.socket() as bound:  # bound and not listening: nobody else can listen there
        bound.bind(("127.0.0.1", 0))
        address = DnsServer(host="127.0.0.1", port=bound.getsockname()[1])
        found = check_permission(replace(build_settings(server), servers=(address,)), ZONE)
    assert found.granted is None
    assert found.detail == f"Update on example.org at {address}: Connection refused"
    assert found.remedy == "check host, port and firewall for TCP: --rfc2136-host, --rfc2136-port"


@pytest.mark.parametrize(
    ("rcode", "status"),
    [
        pytest.param(dns.rcode.NOERROR, "ok", id="NOERROR"),
        pytest.param(dns.rcode.REFUSED, "forbidden", id="REFUSED"),
        pytest.param(dns.rcode.NOTZONE, "refused", id="NOTZONE"),
        pytest.param(dns.rcode.SERVFAIL, "later", id="SERVFAIL"),
    ],
)
def test_an_update_is_measured_with_the_status_of_its_response_code(
    server: PrimaryServer, rcode: dns.rcode.Rcode, status: str
) -> None:
    server.answers = [hostile.reject(rcode)]
    calls: list[ApiCall] = []
    create_web(Rfc2136Zones(replace(build_settings(server), calls=CallOptions(on_call=calls.append))))
    assert [one.status for one in calls if one.action == "Update"] == [status]


def test_an_update_answered_too_late_has_an_unknown_outcome_and_the_next_read_shows_the_record(
    server: PrimaryServer,
) -> None:
    server.answers = [hostile.stall]
    settings = replace(build_settings(server), calls=CallOptions(write_timeouts_s=(5.0, 0.05)))
    zones = Rfc2136Zones(settings)
    assert isinstance(create_web(zones), Unknown)
    assert read_keys(zones) == [APEX, WEB]


def test_an_update_is_not_sent_to_any_server_by_a_process_that_is_not_the_leader(server: PrimaryServer) -> None:
    settings = replace(build_settings(server), calls=CallOptions(can_write=lambda: False))
    outcome = create_web(Rfc2136Zones(replace(settings, servers=(server.address, server.address))))
    assert isinstance(outcome, TryLater)
    assert "this process is not the leader" in outcome.message
    assert server.opcodes == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(hostile.reject(dns.rcode.REFUSED), Forbidden, id="REFUSED"),
        pytest.param(hostile.reject(dns.rcode.NOTAUTH), Forbidden, id="NOTAUTH"),
        pytest.param(hostile.reject(dns.rcode.NOTIMP), Forbidden, id="NOTIMP"),
        pytest.param(hostile.reject(dns.rcode.REFUSED, is_signed=False), Unknown, id="REFUSED-without-TSIG"),
        pytest.param(hostile.reject(dns.rcode.FORMERR), Refused, id="FORMERR"),
        pytest.param(hostile.reject(dns.rcode.FORMERR, is_signed=False), Refused, id="FORMERR-without-TSIG"),
        pytest.param(hostile.reject(dns.rcode.NOTZONE), Refused, id="NOTZONE"),
        pytest.param(hostile.reject(dns.rcode.SERVFAIL), Forbidden, id="SERVFAIL-without-a-change"),
        pytest.param(hostile.reject(dns.rcode.YXDOMAIN), WriteConflict, id="YXDOMAIN-without-cause"),
        pytest.param(hostile.reject_signature(dns.rcode.BADSIG), Forbidden, id="BADSIG"),
        pytest.param(hostile.reject_signature(dns.rcode.BADKEY), Forbidden, id="BADKEY"),
        pytest.param(hostile.reject_signature(dns.rcode.BADTIME), TryLater, id="BADTIME"),
    ],
)
def test_a_rejected_update_has_the_outcome_of_its_response_code_and_can_be_repeated(
    server: PrimaryServer, answer: Answer, expected: type[Outcome]
) -> None:
    server.answers = [answer]
    zones = Rfc2136Zones(build_settings(server))
    assert isinstance(create_web(zones), expected)
    assert read_keys(zones) == [APEX]
    assert isinstance(create_web(zones), Applied)


def test_a_write_conflict_reveals_a_record_that_was_added_without_a_new_serial(server: PrimaryServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    assert read_keys(zones) == [APEX]
    server.add(*WEB, "192.0.2.9", new_serial=False)
    assert read_keys(zones) == [APEX]
    outcome = create_web(zones)
    assert isinstance(outcome, WriteConflict)
    assert outcome.offending_names == (WEB[0],)
    assert read_keys(zones) == [APEX, WEB]


def test_a_failed_prerequisite_is_a_write_conflict_even_if_the_zone_cannot_be_read(server: PrimaryServer) -> None:
    server.add(*WEB, "192.0.2.9")
    refused = hostile.reject(dns.rcode.REFUSED)
    server.answers = [hostile.reject(dns.rcode.YXRRSET), refused]
    assert isinstance(create_web(Rfc2136Zones(build_settings(server))), WriteConflict)
    assert server.list_data(*WEB) == ["192.0.2.9"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        *(pytest.param(answer, RetryableError, id=answer.__name__) for answer in NO_ANSWER),
        *(
            pytest.param(answer, RetryableError, id=answer.__name__)
            for answer in (
                hostile.end_early,
                hostile.start_without_soa,
                hostile.add_records_after_the_end,
                hostile.omit_last_signature,
            )
        ),
        pytest.param(hostile.reject(dns.rcode.SERVFAIL), RetryableError, id="SERVFAIL"),
        pytest.param(hostile.reject(dns.rcode.FORMERR), RetryableError, id="FORMERR"),
        pytest.param(hostile.reject(dns.rcode.REFUSED), ForbiddenError, id="REFUSED"),
        pytest.param(hostile.reject(dns.rcode.NOTAUTH), ForbiddenError, id="NOTAUTH"),
        pytest.param(hostile.reject_signature(dns.rcode.BADKEY), ForbiddenError, id="BADKEY"),
        pytest.param(hostile.reject_signature(dns.rcode.BADTIME), RetryableError, id="BADTIME"),
    ],
)
def test_an_invalid_zone_transfer_is_an_error_and_the_next_read_is_complete(
    server: PrimaryServer, answer: Answer, expected: type[ProviderError]
) -> None:
    zones = Rfc2136Zones(build_settings(server))
    for held in ([APEX], [APEX, WEB]):  # an AXFR, then an IXFR and the AXFR after it
        server.answers = [answer, answer] if len(held) > 1 else [answer]
        with pytest.raises(expected):
            read_keys(zones)
        server.answers = []
        assert read_keys(zones) == held
        server.add(*WEB, "192.0.2.1")


@pytest.mark.parametrize("answer", [hostile.change_id, hostile.answer_as_query])
def test_a_message_that_does_not_answer_the_query_is_rejected_even_without_a_tsig_key(
    server: PrimaryServer, answer: Answer
) -> None:
    zones = Rfc2136Zones(replace(build_settings(server), key=None))
    server.answers = [answer]
    with pytest.raises(RetryableError, match="the response is not to this message"):
        read_keys(zones)


def test_records_outside_the_zone_in_a_transfer_are_ignored(server: PrimaryServer) -> None:
    server.answers = [hostile.add_records_outside_the_zone]
    assert read_keys(Rfc2136Zones(build_settings(server))) == [APEX]


def test_if_an_incremental_transfer_does_not_fit_the_copy_the_whole_zone_is_read(server: PrimaryServer) -> None:
    zones = Rfc2136Zones(build_settings(server))
    read_keys(zones)
    server.add(*WEB, "192.0.2.1")
    server.answers = [hostile.delete_what_is_not_there]
    assert read_keys(zones) == [APEX, WEB]


def test_incremental_transfers_cannot_make_the_copy_exceed_the_limit_of_records(server: PrimaryServer) -> None:
    zones = Rfc2136Zones(replace(build_settings(server), max_transfer_records=2500))
    read_keys(zones)
    server.answers = [hostile.grow] * 3
    found = [{rtype for _, rtype in read_keys(zones)} for _ in range(3)]
    assert found == [{"NS", "A"}, {"NS", "A"}, {"NS", "TXT"}], (
        "the third difference is too large: the zone is read anew"
    )


def test_a_zone_transfer_that_never_ends_is_stopped_at_the_limit_of_records(server: PrimaryServer) -> None:
    zones = Rfc2136Zones(replace(build_settings(server), max_transfer_records=5000))
    server.answers = [hostile.never_end]
    with pytest.raises(RetryableError, match="the transfer has more than 5000 records"):
        read_keys(zones)
    assert read_keys(zones) == [APEX]
