"""Generate templates, and Services to execute them on."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

_WORDS: Final = st.sampled_from(
    ["", "a", "web", "x.t", "-", "b,c", "LoadBalancer", "é", "10.0.0.1", "2001:db8::1", " "]
)
_LITERALS: Final = st.one_of(
    _WORDS.map(lambda word: f'"{word}"'),
    st.sampled_from(["`raw`", "0", "1", "-1", "2", "1.5", "1e3", "0x1F", "'a'", "true", "false", "nil", r'"\t\x41"']),
)
_FIELDS: Final = st.sampled_from(
    [
        ".Name",
        ".Namespace",
        ".Labels",
        ".Labels.a",
        ".Labels.b",
        ".Annotations",
        ".ObjectMeta.Name",
        ".Kind",
        ".CreationTimestamp",
        ".DeletionTimestamp",
        ".Generation",
        ".Spec.Type",
        ".Spec.ClusterIP",
        ".Spec.ClusterIPs",
        ".Spec.Ports",
        ".Spec.Selector",
        ".Spec.InternalTrafficPolicy",
        ".Spec.SessionAffinityConfig",
        ".Spec.SessionAffinityConfig.ClientIP",
        ".Spec.PublishNotReadyAddresses",
        ".Status.LoadBalancer.Ingress",
        ".GetName",
        ".GetLabels",
        ".Nope",
        ".IP",
        ".Port",
        ".TargetPort",
        ".Protocol",
        "$.Name",
        "$.Spec.Ports",
        "$.Labels.a",
        ".",
        "$",
        "$x",
        "$y.Port",
    ]
)
_FUNCTIONS: Final = st.sampled_from(
    [
        *("and", "or", "not", "len", "index", "slice", "print", "printf", "println", "html", "js", "urlquery"),
        *("eq", "ne", "lt", "le", "gt", "ge", "call"),
        *("contains", "trimPrefix", "trimSuffix", "trim", "toLower", "replace", "isIPv4", "isIPv6", "hasKey"),
    ]
)
_FORMATS: Final = st.lists(
    st.sampled_from(["%s", "%d", "%v", "%q", "%x", "%5s", "%-5s|", "%05d", "%+d", "%t", "%.2f", "%c", "%%", "z"]),
    max_size=3,
).map(lambda parts: f'"{"".join(parts)}"')


def _call(name: str, arguments: list[str]) -> str:
    return " ".join((name, *arguments))


def _operands(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(_LITERALS, _FIELDS, _FIELDS, inner.map(lambda text: f"({text})"))


def _calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    arguments = st.lists(_operands(inner), max_size=3)
    return st.one_of(
        st.builds(_call, _FUNCTIONS, arguments),
        st.builds(lambda form, rest: _call("printf", [form, *rest]), _FORMATS, arguments),
        st.builds(lambda item, at: _call("index", [item, at]), _FIELDS, st.sampled_from(['"a"', "0", "1", "$x"])),
        st.builds(lambda head, name, rest: f"{head} | {_call(name, rest)}", inner, _FUNCTIONS, arguments),
    )


PIPELINES: Final = st.recursive(st.one_of(_LITERALS, _FIELDS), _calls, max_leaves=6)
_TEXTS: Final = st.sampled_from(["x", ".acme.test", " \n ", ",", "-", "}", "{ {"])
_TRIMS: Final = st.sampled_from(["{{", "{{- "])
_ENDS: Final = st.sampled_from(["}}", " -}}"])


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    variables = st.sampled_from(["", "$x := ", "$x, $y := ", "$x = "])
    word = st.sampled_from(["if", "with", "range", "range"])
    else_branch = st.one_of(
        st.just(""),
        inner.map(lambda body: f"{{{{else}}}}{body}"),
        st.builds(lambda pipeline, body: f"{{{{else if {pipeline}}}}}{body}", PIPELINES, inner),
    )
    leap = st.sampled_from(["", "", "", "{{break}}", "{{continue}}", "{{if eq . 1}}{{break}}{{end}}"])
    return st.one_of(
        st.builds(
            lambda word, names, pipeline, body, leap, rest: (
                f"{{{{{word} {names}{pipeline}}}}}{body}{leap}{rest}{{{{end}}}}"
            ),
            word,
            variables,
            PIPELINES,
            inner,
            leap,
            else_branch,
        ),
        st.builds("{}{}".format, inner, inner),
        st.builds(lambda body: f'{{{{define "d"}}}}{body}{{{{end}}}}{{{{template "d" .}}}}', inner),
        st.builds(lambda pipeline, body: f'{{{{block "e" {pipeline}}}}}{body}{{{{end}}}}', PIPELINES, inner),
    )


_SEGMENTS: Final = st.one_of(
    _TEXTS,
    st.builds("{}{}{}".format, _TRIMS, PIPELINES, _ENDS),
    st.builds(lambda pipeline: f"{{{{$x := {pipeline}}}}}", PIPELINES),
    st.just("{{/* nothing */}}"),
)
TEMPLATES: Final = st.recursive(_SEGMENTS, _blocks, max_leaves=6)

_PORTS: Final = st.fixed_dictionaries(
    {"port": st.integers(1, 65535)},
    optional={"targetPort": st.sampled_from([80, "http"]), "protocol": st.just("TCP"), "name": st.just("http")},
)
SERVICES: Final[st.SearchStrategy[dict[str, Any]]] = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {"name": st.just("web"), "namespace": st.just("shop")},
            optional={
                "labels": st.dictionaries(st.sampled_from("abc"), _WORDS, max_size=3),
                "creationTimestamp": st.just("2026-03-26T14:47:00Z"),
                "generation": st.integers(1, 3),
            },
        )
    },
    optional={
        "spec": st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["LoadBalancer", "ClusterIP"]),
                "clusterIP": st.just("10.0.0.1"),
                "clusterIPs": st.lists(st.just("10.0.0.1"), max_size=2),
                "ports": st.lists(_PORTS, max_size=3),
                "selector": st.dictionaries(st.sampled_from("abc"), _WORDS, max_size=2),
                "internalTrafficPolicy": st.just("Local"),
                "publishNotReadyAddresses": st.booleans(),
                "sessionAffinityConfig": st.just({"clientIP": {"timeoutSeconds": 5}}),
            },
        ),
        "status": st.just({"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}, {"hostname": "lb.t"}]}}),
    },
)
