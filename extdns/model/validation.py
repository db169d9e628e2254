"""What may be requested: owner names, targets and properties of records. Every way in passes these functions.

Text becomes a name in `parse_hostname` or `parse_owner` and a target in `extdns.model.record.parse_target`; then
`validate_record` decides about the whole record, also about one that a DNS service changed. Names of zones and of
current records are read without these rules.

*lenient* leaves what external-dns checks (docs/spec/sources.md 1.6), for `--compat`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype
from extdns.model.dns_name import MAX_NAME_BYTES, DnsName
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, DesiredRecord, is_ipv4, parse_address
from extdns.model.value import Value

# Possessive quantifiers halve the time: these expressions are matched for every name of a pass.
_HOST_LABEL: Final = r"(?!-)[a-z0-9-]{1,63}+(?<!-)"
_LABEL: Final = r"[a-z0-9_-]{1,63}+"
_SERVER_LABEL: Final = rf"(?!-){_LABEL}(?<!-)"
NO_NUMBER: Final = r"(?![0-9]+\.?\Z)"  # what ends in a number looks like an address (RFC 1123 section 2.1)
_REVERSE_NAME: Final = r"(?>[a-z0-9_/-]{1,63}+\.)+in-addr\.arpa"  # with `/` to delegate a part of a network (RFC 2317)
# A host name, perhaps with the leading `*` that only owner names have.
_HOST: Final = re.compile(rf"(?:\*\.)?+(?>{_HOST_LABEL}\.)*+{NO_NUMBER}{_HOST_LABEL}")
# Also with `_`, as in _mail.example.org: what MX, NS and SRV point to.
_SERVER: Final = re.compile(rf"(?>{_SERVER_LABEL}\.)*+{NO_NUMBER}{_SERVER_LABEL}")
# Also with `-` at the edge of a label, as in lb-.example.org: what a CNAME points to. An owner name may have `*` as a
# label.
TARGET_NAME: Final = re.compile(rf"(?>{_LABEL}\.)*+{NO_NUMBER}{_LABEL}|{_REVERSE_NAME}")
OWNER_NAME: Final = re.compile(rf"(\*|(?>(?>\*|{_LABEL})\.)*+{NO_NUMBER}{_LABEL}|{_REVERSE_NAME})\.?")
_SCHEME: Final = "://"
_WILDCARD: Final = "*."

_HOST_ALLOWED: Final = "a host name: letters, digits and hyphens in labels that begin and end with a letter or digit"
_SERVER_ALLOWED: Final = f"{_HOST_ALLOWED}, or an underscore"
NAME_ALLOWED: Final = "a name: letters, digits, hyphens and underscores"
MAX_TARGETS: Final = 4000
"""No DNS service takes more: a message has 65,535 bytes, of which the record of an address takes 16 (RFC 1035)."""
MAX_TARGET: Final = 270_000
"""Of characters: data have at most 65,535 bytes (RFC 1035 section 3.2.1), each up to four characters as `\\ddd`."""
MAX_PROPERTIES: Final = 32_768
"""The most characters of all properties of a record, far more than any service takes."""
MAX_PROPERTY_COUNT: Final = 100
"""As many as the webhook protocol takes. The records of an object share them, so each costs time for every hostname."""
MAX_SET_IDENTIFIER: Final = 256
"""Route 53 takes 128 characters, and the webhook protocol 256. It is part of messages and keys."""
TARGETS_ALLOWED: Final = "an IP address without zone, or a host name"

# Owners and host names in the data of these types may have underscores. Those of TXT, NAPTR, DNAME and PTR may have
# every character that a DNS name can have.
_NAMED_TYPES: Final = frozenset({rrtype.CNAME, rrtype.MX, rrtype.NS, rrtype.SRV})
_SELF_REFERRING: Final = frozenset({rrtype.CNAME, rrtype.DNAME})
_ALIASABLE: Final = rrtype.ADDRESSES | {rrtype.CNAME}
_REVERSE: Final = (".in-addr.arpa", ".ip6.arpa")
_MAX_UINT16: Final = "65535"


def is_host_name(name: str) -> bool:
    """Return whether *name*, in lower case, is a host name of any length (RFC 1123 section 2.1).

    It may begin with `*.`.
    """
    return _HOST.fullmatch(name) is not None


def parse_hostname(text: str, *, lenient: bool = False) -> DnsName:
    r"""Parse a name as objects state it: also with two trailing dots, and with Route 53's `\052` for `*`.

    Raises:
        InvalidValueError: it is neither a host name nor one with underscores. With *lenient*: it is a URL, or no DNS
            name.
    """
    if len(text) <= MAX_NAME_BYTES and (found := OWNER_NAME.fullmatch(text)):
        return DnsName(found[1])
    spelling = (text.removesuffix(".") if text.endswith("..") else text).replace(r"\052", "*")
    allowed = NAME_ALLOWED
    try:
        name = DnsName.parse(spelling)
    except InvalidValueError as exc:
        name, allowed = None, exc.allowed
    if name is None or _SCHEME in text or not (lenient or OWNER_NAME.fullmatch(name)):
        raise InvalidValueError(text, describe_allowed(text, allowed), Reason.INVALID_NAME)
    return name


def parse_owner(text: str, rtype: str, *, lenient: bool = False) -> DnsName:
    """Parse the owner name *text* of a record of type *rtype* that an object states completely.

    Raises:
        InvalidValueError: no such record can have the name; names of addresses, CNAME, MX, NS and SRV are host names,
            perhaps with underscores.
    """
    if lenient or rtype not in _NAMED_TYPES | rrtype.ADDRESSES:
        return DnsName.parse(text.replace(r"\052", "*"))
    return parse_hostname(text)


class RecordProblem(Value, frozen=True, kw_only=True):
    """What is wrong with a desired record.

    Attributes:
        value: the offending text: a target, a name or a property.
        allowed: what is allowed, as a noun phrase, with the nearest valid spelling if there is one.
        reason: the reason code.
    """

    value: str
    allowed: str
    reason: Reason = Reason.INVALID_ENDPOINT


def validate_record(endpoint: DesiredRecord, *, lenient: bool = False) -> RecordProblem | None:
    """Return the first problem of *endpoint*, None if it is valid.

    One invalid target makes the whole record invalid. A record of another type than A, AAAA and CNAME is invalid if it
    has the property `alias`. TXT data and unknown types are always valid, and so is a record without targets, except
    PTR. The name of a plain A or AAAA record is not checked, because what exists matters (`find_owner_problem`). With
    *lenient*, names and the data of CNAME, DNAME, NS, NAPTR and aliases are not checked.
    """
    rtype = endpoint.type
    if problem := find_size_problem(endpoint):
        return problem
    if rtype in rrtype.ADDRESSES and not (endpoint.properties and endpoint.is_alias):
        return _find_bad_address(endpoint)  # the planner checks the name, because it knows what is published there
    if rtype not in _ALIASABLE and endpoint.properties.has(ALIAS):
        return RecordProblem(value=f"alias on {rtype}", allowed="alias on A, AAAA and CNAME only")
    if rtype == rrtype.PTR:
        problem = _find_ptr_problem(endpoint)
    elif rtype in _FIELDS:
        problem = _find_bad_target(endpoint.targets, *_FIELDS[rtype])
    else:
        problem = None
    return problem if problem or lenient else find_owner_problem(endpoint) or _find_strict_problem(endpoint)


def find_size_problem(endpoint: DesiredRecord) -> RecordProblem | None:
    """Return the problem that *endpoint* is larger than any DNS service takes; None if it is not."""
    if (length := len(endpoint.set_identifier)) > MAX_SET_IDENTIFIER:
        allowed = f"at most {MAX_SET_IDENTIFIER} characters"
        return RecordProblem(value=f"a set identifier of {length} characters", allowed=allowed)
    if (number := len(endpoint.properties)) > MAX_PROPERTY_COUNT:
        return RecordProblem(value=f"{number} properties", allowed=f"at most {MAX_PROPERTY_COUNT} properties")
    if endpoint.properties and (length := sum(map(len, chain(*endpoint.properties)))) > MAX_PROPERTIES:
        allowed = f"at most {MAX_PROPERTIES} characters"
        return RecordProblem(value=f"properties of {length} characters", allowed=allowed)
    if len(endpoint.targets) > MAX_TARGETS:
        return RecordProblem(value=f"more than {MAX_TARGETS} targets", allowed=f"at most {MAX_TARGETS} targets")
    if (length := max(map(len, endpoint.targets), default=0)) > MAX_TARGET:
        return RecordProblem(value=f"a target of {length} characters", allowed=f"at most {MAX_TARGET} characters")
    return None


def find_owner_problem(endpoint: DesiredRecord) -> RecordProblem | None:
    """Return why the name of *endpoint* cannot be that of a record of its type, None if it can.

    BIND refuses a zone with an address record whose name is not a host name; other servers do not. So a name at which
    we have a record stays managed.
    """
    if endpoint.type in rrtype.ADDRESSES and not (endpoint.properties and endpoint.is_alias):
        if _HOST.fullmatch(endpoint.name):
            return None
        allowed = f"{describe_allowed(endpoint.name, _HOST_ALLOWED)}; a name that has a record of ours stays managed"
        return RecordProblem(value=endpoint.name, allowed=allowed, reason=Reason.INVALID_OBJECT)
    if endpoint.type in _NAMED_TYPES and OWNER_NAME.fullmatch(endpoint.name) is None:
        allowed = describe_allowed(endpoint.name, NAME_ALLOWED)
        return RecordProblem(value=endpoint.name, allowed=allowed, reason=Reason.INVALID_NAME)
    return None


def find_target_problem(rtype: str, target: str) -> str:
    """Return what is allowed in place of *target*, which is canonical data of *rtype* but for its host; "" if valid."""
    if rtype == rrtype.NAPTR:
        return _find_naptr_problem(target)
    if rtype == rrtype.DNAME:
        try:
            DnsName.parse(target)
        except InvalidValueError as exc:
            return describe_allowed(target, exc.allowed)
        return ""
    host = target
    if rtype in _FIELDS:
        host = _BLANKS.split(target.strip(" \t"))[-1].removesuffix(".").lower()
        if not host:  # the root: no such service (RFC 2782), no mail (RFC 7505)
            return ""
    if len(host) > MAX_NAME_BYTES:
        return f"a name of at most {MAX_NAME_BYTES} bytes"
    if rtype == rrtype.PTR:
        return "" if is_host_name(host) and not host.startswith(_WILDCARD) else describe_allowed(host, _HOST_ALLOWED)
    if rtype in _FIELDS or rtype == rrtype.NS:
        return "" if _SERVER.fullmatch(host) else describe_allowed(host, _SERVER_ALLOWED)
    return "" if TARGET_NAME.fullmatch(host) else describe_allowed(host, TARGETS_ALLOWED)


def _find_strict_problem(endpoint: DesiredRecord) -> RecordProblem | None:
    rtype = rrtype.CNAME if endpoint.is_alias else endpoint.type
    if rtype == rrtype.TXT or rtype not in rrtype.OWNABLE:
        return None
    for target in endpoint.targets:
        if endpoint.is_alias and parse_address(target):
            continue  # an alias of addresses is a plain record for services without aliases
        if rtype in _SELF_REFERRING and target == endpoint.name:
            allowed = "another target than the name itself; a record that points to itself answers nothing"
        else:
            allowed = find_target_problem(rtype, target)
        if allowed:
            return RecordProblem(value=target, allowed=allowed, reason=Reason.INVALID_TARGET)
    return None


def _find_bad_target(targets: Iterable[str], is_valid: Callable[[str], bool], allowed: str) -> RecordProblem | None:
    for target in targets:
        if not is_valid(target):
            return RecordProblem(value=target, allowed=allowed)
    return None


def _find_bad_address(endpoint: DesiredRecord) -> RecordProblem | None:
    problem = _find_bad_target(endpoint.targets, *_FAMILIES[endpoint.type])
    if problem is None or (parse_address(problem.value) and "%" not in problem.value):  # of the other family
        return problem
    return replace(problem, allowed=describe_allowed(problem.value, problem.allowed))


def _is_ipv6(target: str) -> bool:
    parsed = parse_address(target)
    # A zone suffix (fe80::1%eth0) is meaningful on one host only and has no place in record data.
    return parsed is not None and parsed.version == 6 and "%" not in target  # noqa: PLR2004 - the IP version


_FAMILIES: Final = {rrtype.A: (is_ipv4, "IPv4 addresses"), rrtype.AAAA: (_is_ipv6, "IPv6 addresses without zone")}


def _is_mx(target: str) -> bool:
    return _has_numbers(target.split(), 1)


def _is_srv(target: str) -> bool:
    return _has_numbers(target.split(), 3) and target.rstrip().endswith(".")


def _has_numbers(fields: list[str], count: int) -> bool:
    """Return whether *fields* are *count* 16-bit numbers and one host."""
    return len(fields) == count + 1 and all(_is_uint16(field) for field in fields[:count])


def _is_uint16(field: str) -> bool:
    if not (field.isascii() and field.isdigit()):
        return False
    digits = field.lstrip("0")
    return (len(digits), digits) <= (len(_MAX_UINT16), _MAX_UINT16)


_BLANKS: Final = re.compile(r"[ \t]+")
_FIELDS: Final = {
    rrtype.MX: (_is_mx, "a preference from 0 to 65535 and a host"),
    rrtype.SRV: (_is_srv, "priority, weight and port from 0 to 65535, and a host ending in '.'"),
}


def _find_ptr_problem(endpoint: DesiredRecord) -> RecordProblem | None:
    prefix = next((endpoint.name.removesuffix(tree) for tree in _REVERSE if endpoint.name.endswith(tree)), "")
    if not prefix or prefix.startswith("."):
        return RecordProblem(value=endpoint.name, allowed="a name below in-addr.arpa or ip6.arpa")
    if not endpoint.targets:
        return RecordProblem(value="no target", allowed="at least one host name")
    return _find_bad_target(endpoint.targets, _is_ptr_target, "host names, not addresses")


def _is_ptr_target(target: str) -> bool:
    return bool(target.strip()) and parse_address(target) is None


_STRING: Final = r'("(?:[^"\\]|\\.)*"|[^\s"]+)'
_NAPTR: Final = re.compile(rf"([0-9]+)\s+([0-9]+)\s+{_STRING}\s+{_STRING}\s+{_STRING}\s+(\S+)")
_ESCAPE: Final = re.compile(r"\\([0-9]{3}|[^0-9])")
_NAPTR_ALLOWED: Final = (
    'order, preference, "flags", "services", "regexp" and a name, such as 10 100 "s" "SIP+D2U" "" sip.example.org.'
)
_REGEXP_ALLOWED: Final = (
    'a regexp of "", or of a POSIX extended expression and its replacement, each after and before one delimiter, such '
    "as !^.*$!sip:info@example.org!, with references to groups that exist"
)
_MAX_STRING: Final = 255
_NO_DELIMITERS: Final = frozenset("0123456789\\i")


def _find_naptr_problem(target: str) -> str:
    """Return what is allowed in place of the NAPTR data *target* (RFC 3403 section 4.1), "" if it is valid."""
    found = _NAPTR.fullmatch(target)
    if not (found and _is_uint16(found[1]) and _is_uint16(found[2])):
        return _NAPTR_ALLOWED
    flags, services, regexp = [text[1:-1] if text.startswith('"') else text for text in (found[3], found[4], found[5])]
    if max(len(_ESCAPE.sub("x", text)) for text in (flags, services, regexp)) > _MAX_STRING:
        return f"strings of at most {_MAX_STRING} characters"
    if found[6] != ".":
        try:
            DnsName.parse(found[6])
        except InvalidValueError as exc:
            return describe_allowed(found[6], exc.allowed)
    if "\\" in _ESCAPE.sub("", regexp):
        return f"{_NAPTR_ALLOWED}, with \\\\ for a backslash in a string"
    return "" if _is_substitution(_ESCAPE.sub(_unescape, regexp)) else _REGEXP_ALLOWED


def _unescape(escape: re.Match[str]) -> str:
    return escape[1] if len(escape[1]) == 1 else chr(int(escape[1]) % 256)


def _is_substitution(text: str) -> bool:
    """Return whether *text* is empty or a substitution expression (RFC 3402 section 3.2)."""
    if not text:
        return True
    delimiter = text[0]
    unescaped = rf"((?:[^\\{re.escape(delimiter)}]|\\.)*)"
    mark = re.escape(delimiter)
    if delimiter in _NO_DELIMITERS or "\0" in text:
        return False
    found = re.fullmatch(f"{mark}{unescaped}{mark}{unescaped}{mark}i*", text, re.DOTALL)
    groups = _count_groups(found[1]) if found else None
    if found is None or groups is None:
        return False
    return all(0 < int(digit) <= groups for digit in re.findall(r"\\([0-9])|\\.", found[2], re.DOTALL) if digit)


_CLASS: Final = re.compile(r"\[:[a-z]+:\]")
_BRACKETS_OR_ESCAPE: Final = re.compile(r"\[\^?\]?[^\]\[]*\]|\\[^0-9]")
# A quantifier after nothing or after another one, an empty alternative or group, and a reference to a group.
_NO_EXPRESSION: Final = re.compile(r"(?:^|[(|^$*+?}])[*+?{]|(?:^|[(|])(?:[|)]|$)|\\|\[")


def _count_groups(expression: str) -> int | None:
    """Return how many groups the POSIX extended *expression* has, None if it is not one (or has references to them)."""
    plain = _BRACKETS_OR_ESCAPE.sub("x", _CLASS.sub("a", expression))
    if _NO_EXPRESSION.search(plain):
        return None
    try:
        return re.compile(plain).groups
    except (re.error, OverflowError):
        return None


_SEPARATORS: Final = re.compile(r"[\s;,|]+")
_IN_BRACKETS: Final = re.compile(r"\[([^\]]+)\](:[0-9]+)?")
_IN_NO_NAME: Final = re.compile(r"[^a-z0-9_.*-]")
_MAX_EXPLAINED: Final = 512
_VARIABLE: Final = re.compile(r"\$\{[^}]*\}?|\$\(?\w+\)?|\{\{.*?(?:\}\}|$)")
_SUBSTITUTE: Final = {"$": "`flux build` or envsubst", "{": "`helm template`"}


def describe_allowed(text: str, allowed: str) -> str:
    """Return what is allowed in place of *text*, which is not valid, with the nearest valid spelling.

    It is *allowed* if *text* looks like nothing in particular.
    """
    text = text.strip().removesuffix(".")
    if len(text) > _MAX_EXPLAINED:
        return allowed
    if variable := _VARIABLE.search(text):
        remedy = _SUBSTITUTE[variable[0][0]]
        return f"a name without {sanitize(variable[0])}, an unsubstituted variable: pipe through {remedy}"
    parts = [part for part in _SEPARATORS.split(text) if part]
    if len(parts) > 1:
        return f"one name or address in each entry, separated by commas: {sanitize(', '.join(parts))}"
    if _SCHEME in text:
        host = text.partition(_SCHEME)[2].partition("/")[0].partition(":")[0]
        return f"a host name without scheme, port and path, such as {sanitize(host)}"
    if (found := _IN_BRACKETS.fullmatch(text)) and parse_address(found[1]):
        return f"the address without brackets{' and port' if found[2] else ''}: {sanitize(found[1])}"
    if parse_address(text):
        return f"an address without zone: {text.partition('%')[0]}" if "%" in text else "a name, not an address"
    host, colon, port = text.rpartition(":")
    if colon and port.isdigit() and host:
        return f"a name or address without port: {sanitize(host)}"
    host, slash, _ = text.partition("/")
    if slash and parse_address(host):
        return "a single address, not a network"
    if slash and TARGET_NAME.fullmatch(host):
        return f"a name without path: {host}"
    return _describe_allowed_number(text) or _describe_allowed_spelling(text, allowed)


def _describe_allowed_number(text: str) -> str:
    *labels, last = text.split(".")
    if not (labels and last.isascii() and last.isdigit()):
        return ""
    plain = ".".join(label.lstrip("0") or "0" for label in (*labels, last))
    if is_ipv4(plain):
        return f"an IPv4 address without leading zeros: {plain}"
    if plain.replace(".", "").isdigit():
        return "an IPv4 address: four numbers from 0 to 255, such as 192.0.2.1"
    return "a host name whose last label is not a number, or an IP address"


def _describe_allowed_spelling(text: str, allowed: str) -> str:
    if not text.isascii():  # the name without its letters would be another one
        return allowed
    labels = (label if label == "*" else label.strip("-*") for label in _IN_NO_NAME.sub("", text.lower()).split("."))
    nearest = ".".join(filter(None, labels))
    if nearest == text or not OWNER_NAME.fullmatch(nearest) or len(nearest) > MAX_NAME_BYTES:
        return allowed
    return f"{allowed}, such as {nearest}"
