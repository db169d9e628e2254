"""Convert names and record data of zone files."""

from __future__ import annotations

import dns.rdata
import dns.rdataclass
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from providers.common import rdata, scan
from providers.common.api_calls import parse_service_name


def words(text: str) -> tuple[str, ...]:
    found = scan.split_words(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "origin", "absolute"),
    [
        pytest.param("www", "example.org.", "www.example.org.", id="relative"),
        pytest.param("www", ".", "www.", id="relative-to-the-root"),
        pytest.param("www.", "example.org.", "www.", id="absolute"),
        pytest.param("@", "example.org.", "example.org.", id="origin"),
        pytest.param(".", "example.org.", ".", id="root"),
        pytest.param("WwW", "Example.org.", "WwW.Example.org.", id="case-is-kept"),
        pytest.param("*._tcp", "example.org.", "*._tcp.example.org.", id="wildcard-and-underscore"),
        pytest.param("a\\.b", "example.org.", "a\\.b.example.org.", id="dot-in-a-label"),
        pytest.param("a\\064b", "example.org.", "a\\@b.example.org.", id="code"),
        pytest.param("gr\xc3\xbcn", "example.org.", "gr\\195\\188n.example.org.", id="raw-bytes"),
        pytest.param("a\\\xfcb", "example.org.", "a\\252b.example.org.", id="escaped-raw-byte"),
    ],
)
def test_relative_names_in_zone_files_are_completed_with_the_origin(text: str, origin: str, absolute: str) -> None:
    assert rdata.make_absolute(text, origin) == absolute


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a..b", id="empty-label"),
        pytest.param(".a", id="leading-dot"),
        pytest.param("a" * 64, id="long-label"),
        pytest.param(".".join(["a" * 63] * 4), id="long-name"),
        pytest.param("\\300", id="no-such-code"),
        pytest.param('"a"', id="quotes"),
    ],
)
def test_an_invalid_name_in_a_zone_file_is_reported(text: str) -> None:
    with pytest.raises(InvalidValueError):
        rdata.make_absolute(text, "example.org.")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        pytest.param("WWW.Example.org.", "www.example.org", id="lower-case"),
        pytest.param("a\\@b\\$.example.org.", "a@b$.example.org", id="printable-characters"),
        pytest.param("*.example.org.", "*.example.org", id="wildcard"),
        pytest.param("a\\.b.example.org.", None, id="dot-in-a-label"),
        pytest.param("a\\\\b.example.org.", None, id="backslash"),
        pytest.param("\\032a.example.org.", None, id="blank"),
        pytest.param("gr\\195\\188n.example.org.", None, id="bytes"),
        pytest.param(".", None, id="root"),
    ],
)
def test_a_name_in_a_zone_file_with_unsupported_characters_has_no_dns_name(owner: str, name: str | None) -> None:
    assert rdata.to_dns_name(owner) == name


@given(
    st.lists(
        st.text(
            st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="\\."), min_size=1, max_size=20
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_name_written_to_a_zone_file_is_read_back_unchanged(labels: list[str]) -> None:
    name = DnsName.parse(".".join(labels))
    (word,) = words(rdata.format_name(name))
    assert rdata.to_dns_name(rdata.make_absolute(word, "elsewhere.example.")) == name


def test_an_opening_bracket_is_written_by_its_number_because_bind_reads_it_as_a_bit_string() -> None:
    assert rdata.format_name(DnsName("[x].example.org")) == "\\091x\\].example.org."


@pytest.mark.parametrize(
    ("rtype", "text", "target"),
    [
        pytest.param("A", "192.0.2.1", "192.0.2.1", id="A"),
        pytest.param("A", "\\# 4 c0000201", "192.0.2.1", id="A-rfc3597"),
        pytest.param("AAAA", "2001:DB8:0::1", "2001:db8::1", id="AAAA"),
        pytest.param("AAAA", "::FFFF:c000:209", "::ffff:192.0.2.9", id="AAAA-mapped"),
        pytest.param("CNAME", "LB", "lb.example.org", id="CNAME-relative"),
        pytest.param("NS", "ns1.example.net.", "ns1.example.net", id="NS"),
        pytest.param("MX", "10 Mail", "10 mail.example.org", id="MX"),
        pytest.param("SRV", "0  5 443 web", "0 5 443 web.example.org.", id="SRV"),
        pytest.param("NAPTR", '1 2 s "x" "" sip', '1 2 "s" "x" "" sip.example.org.', id="NAPTR"),
        pytest.param("TXT", "bare", '"bare"', id="TXT-bare"),
        pytest.param("TXT", '"gr\xc3\xbcn"', '"gr\\195\\188n"', id="TXT-raw-bytes"),
        pytest.param("TXT", "\\# 3 026869", '"hi"', id="TXT-rfc3597"),
        pytest.param("CAA", '0 issue "ca.example"', '0 issue "ca.example"', id="CAA"),
        pytest.param("TYPE65534", "\\# 1 00", "\\# 1 00", id="unknown-type"),
    ],
)
def test_record_data_of_zone_files_is_parsed_to_targets(rtype: str, text: str, target: str) -> None:
    assert rdata.parse_target(rtype, words(text), "example.org.") == target


@pytest.mark.parametrize(
    ("rtype", "text", "allowed"),
    [
        pytest.param("A", "192.0.2.999", "an IPv4 address", id="A"),
        pytest.param("A", "192.0.2.01", "an IPv4 address", id="A-leading-zero"),
        pytest.param("A", "2001:db8::1", "an IPv4 address", id="A-of-the-other-family"),
        pytest.param("A", "192.0.2.1 192.0.2.2", "an IPv4 address", id="A-two"),
        pytest.param("A", "", "an IPv4 address", id="A-none"),
        pytest.param("AAAA", "fe80::1%eth0", "an IPv6 address", id="AAAA-scope"),
        pytest.param("CNAME", "a b", "a host name", id="CNAME-two"),
        pytest.param("MX", "mail.example.org.", "a preference and a host name", id="MX-no-preference"),
        pytest.param("SRV", "0 5 70000 web", "priority, weight, port and host", id="SRV-port"),
        pytest.param("TXT", "", "TXT data", id="TXT-none"),
        pytest.param("TXT", "\\# 9 00", "TXT data", id="TXT-rfc3597-length"),
    ],
)
def test_invalid_record_data_in_a_zone_file_is_reported_with_what_is_allowed(
    rtype: str, text: str, allowed: str
) -> None:
    with pytest.raises(InvalidValueError) as caught:
        rdata.parse_target(rtype, words(text), "example.org.")
    assert allowed in caught.value.allowed


@pytest.mark.parametrize(
    ("rtype", "target", "written"),
    [
        pytest.param("CNAME", "lb.example.net", "lb.example.net.", id="CNAME"),
        pytest.param("CNAME", "a;b.example.net", "a\\;b.example.net.", id="CNAME-escaped"),
        pytest.param("MX", "10 mail.example.net", "10 mail.example.net.", id="MX"),
        pytest.param("MX", "0 .", "0 .", id="MX-null"),
        pytest.param("SRV", "0 5 443 web", "0 5 443 web.", id="SRV-never-relative"),
        pytest.param("NAPTR", '1 2 "s;t" "" "" .', '1 2 "s;t" "" "" .', id="NAPTR"),
    ],
)
def test_host_names_are_written_to_zone_files_as_absolute_names(rtype: str, target: str, written: str) -> None:
    assert rdata.format_data(rtype, target) == written


@pytest.mark.parametrize(
    ("rtype", "target"),
    [
        pytest.param("A", "192.0.2.1\n$INCLUDE /etc/passwd", id="A-newline"),
        pytest.param("SRV", "0 5 443 web.example.net. ; comment", id="SRV-comment"),
        pytest.param("SRV", "0 5 443 web.example.net.\nevil A 192.0.2.1", id="SRV-newline"),
        pytest.param("NAPTR", '1 2 "s" "" "" ( . )', id="NAPTR-parentheses"),
        pytest.param("CNAME", "a\\;b.example.net ; c", id="CNAME-comment"),
        pytest.param("CNAME", "two words", id="CNAME-blank"),
        pytest.param("MX", "ten mail.example.net", id="MX"),
        pytest.param("TXT", '"' + "a" * 65536 + '"', id="TXT-too-long"),
        pytest.param("TXT", '"' + "a" * 65400 + '"', id="TXT-too-long-with-its-lengths"),
    ],
)
def test_an_invalid_target_is_never_written_to_a_zone_file(rtype: str, target: str) -> None:
    with pytest.raises(InvalidValueError):
        rdata.format_data(rtype, target)


@given(
    st.tuples(st.just("A"), st.ip_addresses(v=4).map(str))
    | st.tuples(
        st.sampled_from(sorted(rrtype.HOSTS)),
        st.from_regex(r"([a-z0-9_-]{1,63}\.){0,3}[a-z0-9_-]{1,63}", fullmatch=True),
    )
    | st.tuples(st.just("TXT"), st.text(st.characters(min_codepoint=0x1F, max_codepoint=0x7F)).map('"{}"'.format))
)
def test_targets_formatted_without_dnspython_are_as_dnspython_formats_them(content: tuple[str, str]) -> None:
    rtype, target = content
    try:
        written = rdata.format_data(rtype, target)
    except InvalidValueError:
        return
    assert dns.rdata.from_text(dns.rdataclass.IN, rtype, written, relativize=False).to_text() == written
    assert rdata.normalize_target(rtype, target) == rdata.parse_target(rtype, words(written), ".")


@given(st.sampled_from(rrtype.OWNABLE), st.text(st.sampled_from('ab19.:; "\\()\n$@-_\xfc'), max_size=30))
def test_a_target_is_written_as_one_line_and_read_back_unchanged(rtype: str, target: str) -> None:
    try:
        text = rdata.format_data(rtype, target)
    except InvalidValueError:
        return
    assert "\n" not in text
    held = rdata.normalize_target(rtype, target)
    assert rdata.parse_target(rtype, words(text), "elsewhere.example.") == held
    assert rdata.normalize_target(rtype, held) == held


@pytest.mark.parametrize(
    ("text", "rtype"),
    [
        pytest.param("a", "A", id="lower-case"),
        pytest.param("TYPE1", "A", id="by-number"),
        pytest.param("TYPE65534", "TYPE65534", id="unknown-by-number"),
        pytest.param("ANY", None, id="of-queries"),
        pytest.param("WEB", None, id="unknown"),
        pytest.param("1.2.3.4", None, id="no-type"),
    ],
)
def test_record_types_in_zone_files_are_parsed_by_name_or_number(text: str, rtype: str | None) -> None:
    assert rdata.find_type(text) == rtype


@pytest.mark.parametrize(
    ("text", "ttl_s"),
    [
        pytest.param("300", 300, id="seconds"),
        pytest.param("1h30m", 5400, id="units"),
        pytest.param("1W", 604800, id="week"),
    ],
)
def test_a_ttl_in_a_zone_file_may_have_units(text: str, ttl_s: int) -> None:
    assert rdata.parse_ttl(text) == ttl_s


@pytest.mark.parametrize("text", ["1x", "4294967296", "1h30", ""])
def test_an_invalid_ttl_in_a_zone_file_is_reported(text: str) -> None:
    with pytest.raises(InvalidValueError, match="a TTL"):
        rdata.parse_ttl(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("$GENERATE 1-70000 h$ A 192.0.2.1", id="too-many"),
        pytest.param("$GENERATE 1-2 h${0,99999,d} A 192.0.2.1", id="too-wide"),
        pytest.param("$GENERATE 2-1 h$ A 192.0.2.1", id="backwards"),
        pytest.param("$GENERATE 1-2/0 h$ A 192.0.2.1", id="no-step"),
        pytest.param("$GENERATE 1 h$ A 192.0.2.1", id="no-range"),
        pytest.param("$GENERATE 1-2 h$ A 192.0.2.$$", id="wrong-data"),
        pytest.param("$GENERATE", id="nothing"),
    ],
)
def test_an_invalid_or_too_large_generate_directive_is_reported(text: str) -> None:
    with pytest.raises(InvalidValueError, match="start-stop"):
        rdata.expand_generate(words(text), "example.org.", 300)


# Names in responses of a DNS service


@pytest.mark.parametrize(
    ("text", "name"),
    [("WWW.Example.org.", "www.example.org"), ("*.example.org", "*.example.org"), ("_a._tcp.x.", "_a._tcp.x")],
)
def test_names_from_a_dns_service_are_converted_to_canonical_form(text: str, name: str) -> None:
    assert parse_service_name(text) == name


@pytest.mark.parametrize("text", ["", " x.org", "a b.org", "a..org", "bücher.org", "x\\052.org", f"{'a' * 64}.org"])
def test_names_from_a_dns_service_that_no_object_could_request_are_skipped(text: str) -> None:
    assert parse_service_name(text) is None


# Convert TXT data in files to targets and back


HERITAGE = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'


def read_back(target: str) -> str:
    words = scan.split_words(rdata.format_txt(target))
    assert words is not None
    return rdata.build_txt_target([rdata.parse_string(word) for word in words])


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_of_a_txt_record_are_written_and_read_back(content: list[bytes]) -> None:
    target = rdata.build_txt_target(content)
    assert target.isascii()
    assert target.isprintable()
    assert read_back(target) == target


@pytest.mark.parametrize(
    ("target", "written"),
    [
        pytest.param(HERITAGE, HERITAGE, id="3.2.3-ownership-record"),
        pytest.param('"a" "b"', '"a" "b"', id="two-strings"),
        pytest.param('"a""b"', '"a" "b"', id="two-strings-without-blank"),
        pytest.param("no quotes; at all", '"no quotes; at all"', id="bare"),
        pytest.param('say "hi" \\', '"say \\"hi\\" \\\\"', id="bare-is-literal"),
        pytest.param("", '""', id="empty"),
        pytest.param('""', '""', id="empty-string"),
        pytest.param('"grün"', '"gr\\195\\188n"', id="utf-8"),
        pytest.param('"\\101\\"\\\\\\x"', '"e\\"\\\\x"', id="escapes"),
        pytest.param("a\nb", '"a\\010b"', id="newline-in-bare-text"),
        pytest.param(f'"{"a" * 255}"', f'"{"a" * 255}"', id="255-bytes"),
        pytest.param(f'"{"a" * 256}"', f'"{"a" * 255}" "a"', id="256-bytes"),
        pytest.param(f'"{"a" * 510}" "b"', f'"{"a" * 255}" "{"a" * 255}" "b"', id="two-full-strings"),
    ],
)
def test_txt_targets_are_written_as_quoted_strings_of_at_most_255_bytes(target: str, written: str) -> None:
    assert rdata.format_txt(target) == written


@pytest.mark.parametrize(
    ("content", "target"),
    [
        pytest.param([b"a", b"b"], '"a" "b"', id="separate-strings-stay-apart"),
        pytest.param([b"a" * 255, b"b"], f'"{"a" * 255}b"', id="full-string-is-joined-with-next"),
        pytest.param([b"a" * 255, b"b", b"c"], f'"{"a" * 255}b" "c"', id="strings-after-a-short-one-stay-separate"),
        pytest.param([b""], '""', id="empty"),
    ],
)
def test_the_strings_of_a_txt_record_are_read_as_one_target_and_full_strings_are_joined_with_the_next(
    content: list[bytes], target: str
) -> None:
    assert rdata.build_txt_target(content) == target


@pytest.mark.parametrize(
    "target",
    [
        pytest.param('"open', id="open"),
        pytest.param('"a" b', id="unquoted-after-quoted"),
        pytest.param('"a"b"', id="quote-inside"),
        pytest.param('"a\nb"', id="newline"),
        pytest.param('"\\256"', id="code-over-255"),
        pytest.param('"\\12"', id="code-too-short"),
        pytest.param('"a" ; b', id="comment"),
    ],
)
def test_invalid_quotes_and_escapes_in_a_txt_target_are_reported(target: str) -> None:
    with pytest.raises(InvalidValueError, match="allowed:"):
        rdata.format_txt(target)


def test_a_txt_string_of_more_than_255_bytes_is_reported() -> None:
    assert rdata.parse_string(f'"{"a" * 255}"') == b"a" * 255
    with pytest.raises(InvalidValueError, match="at most 255 bytes"):
        rdata.parse_string("a" * 256)
