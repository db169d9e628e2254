"""Strict schemas of the objects that the chart renders: only the fields of Kubernetes' API that it uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string", "minLength": 1}
NUMBER: Final[Schema] = {"type": "integer"}
FLAG: Final[Schema] = {"type": "boolean"}
NAME: Final[Schema] = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "maxLength": 253}
DURATION: Final[Schema] = {"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w|y))+$"}
EITHER: Final[Schema] = {"type": ["integer", "string"]}


def fields(*needed: str, **properties: Schema) -> Schema:
    """Return the schema of an object with exactly *properties*, of which *needed* are required."""
    required = {"required": list(needed)} if needed else {}  # draft 4 forbids an empty list
    return {"type": "object", "additionalProperties": False, "properties": properties} | required


def many(one: Schema, least: int = 0) -> Schema:
    return {"type": "array", "items": one, "minItems": least}


def mapping(one: Schema) -> Schema:
    return {"type": "object", "additionalProperties": one}


def one_of(*texts: str) -> Schema:
    return {"enum": list(texts)}


LABEL: Final[Schema] = {"type": "string", "pattern": "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$", "maxLength": 63}
META: Final = fields("name", "labels", name=NAME, namespace=NAME, labels=mapping(LABEL), annotations=mapping(TEXT))
SELECTOR: Final = fields(
    matchLabels=mapping(LABEL),
    matchExpressions=many(fields("key", "operator", key=TEXT, operator=TEXT, values=many(TEXT))),
)
PORT: Final = {"oneOf": [NUMBER, {"type": "string", "pattern": "^[a-z][-a-z0-9]*$", "maxLength": 15}]}
REF: Final = fields("name", "key", name=NAME, key=TEXT, optional=FLAG)
ENV: Final = fields(
    "name",
    name=TEXT,
    value={"type": "string"},
    valueFrom=fields(fieldRef=fields("fieldPath", fieldPath=TEXT), secretKeyRef=REF),
)
HEALTH_CHECK: Final = fields(
    httpGet=fields("port", path=TEXT, port=PORT),
    **dict.fromkeys(
        ("initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold"), NUMBER
    ),
)
CONTAINER: Final = fields(
    "name",
    "image",
    name=NAME,
    image=TEXT,
    imagePullPolicy=one_of("Always", "IfNotPresent", "Never"),
    args=many(TEXT),
    command=many(TEXT),
    restartPolicy=one_of("Always"),
    env=many(ENV),
    ports=many(fields("containerPort", name=PORT, containerPort=NUMBER)),
    livenessProbe=HEALTH_CHECK,
    readinessProbe=HEALTH_CHECK,
    resources=fields(requests=mapping(EITHER), limits=mapping(EITHER)),
    volumeMounts=many(fields("name", "mountPath", name=NAME, mountPath=TEXT, readOnly=FLAG)),
    securityContext=fields(
        **dict.fromkeys(("runAsUser", "runAsGroup"), NUMBER),
        **dict.fromkeys(("privileged", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsNonRoot"), FLAG),
        capabilities=fields(drop=many(TEXT)),
    ),
)
TERM: Final = fields("topologyKey", "labelSelector", topologyKey=TEXT, labelSelector=SELECTOR)
AFFINITY: Final = fields(
    requiredDuringSchedulingIgnoredDuringExecution=many(TERM),
    preferredDuringSchedulingIgnoredDuringExecution=many(
        fields("weight", "podAffinityTerm", weight=NUMBER, podAffinityTerm=TERM)
    ),
)
POD: Final = fields(
    "containers",
    "serviceAccountName",
    serviceAccountName=NAME,
    **dict.fromkeys(("automountServiceAccountToken", "enableServiceLinks", "shareProcessNamespace"), FLAG),
    imagePullSecrets=many(fields("name", name=NAME)),
    securityContext=fields(runAsNonRoot=FLAG, fsGroup=NUMBER, seccompProfile=fields("type", type=TEXT)),
    terminationGracePeriodSeconds=NUMBER,
    priorityClassName=NAME,
    dnsPolicy=one_of("ClusterFirst", "Default", "None"),
    dnsConfig=fields(nameservers=many(TEXT)),
    hostAliases=many(fields("ip", ip=TEXT, hostnames=many(TEXT))),
    initContainers=many(CONTAINER),
    nodeSelector=mapping(LABEL),
    tolerations=many(fields(key=TEXT, operator=TEXT, value=TEXT, effect=TEXT)),
    affinity=fields(podAffinity=AFFINITY, podAntiAffinity=AFFINITY),
    topologySpreadConstraints=many(
        fields(
            *("maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector"),
            maxSkew=NUMBER,
            topologyKey=TEXT,
            whenUnsatisfiable=one_of("DoNotSchedule", "ScheduleAnyway"),
            labelSelector=SELECTOR,
        )
    ),
    containers=many(CONTAINER, least=1),
    volumes=many(fields("name", name=NAME, secret=fields("secretName", secretName=NAME))),
    restartPolicy=one_of("Always", "Never"),
)
RULES: Final = many(
    fields(
        *("apiGroups", "resources", "verbs"),
        apiGroups=many({"type": "string"}, least=1),
        resources=many(TEXT, least=1),
        resourceNames=many(NAME, least=1),
        verbs=many(one_of("create", "delete", "get", "list", "patch", "update", "watch"), least=1),
    ),
    least=1,
)


def _binding(kind: str) -> dict[str, Schema]:
    return {
        "roleRef": fields("apiGroup", "kind", "name", apiGroup=TEXT, kind=one_of(kind), name=NAME),
        "subjects": many(
            fields("kind", "name", "namespace", kind=one_of("ServiceAccount"), name=NAME, namespace=NAME), least=1
        ),
    }


_PORTS: Final = many(fields("port", port=PORT, protocol=one_of("TCP", "UDP")))
_ENDPOINT: Final = fields(
    *("port", "path"),
    port=PORT,
    path=TEXT,
    interval=DURATION,
    scrapeTimeout=DURATION,
    scheme=one_of("http", "https"),
    tlsConfig=fields(insecureSkipVerify=FLAG),
    bearerTokenFile=TEXT,
    **dict.fromkeys(
        ("relabelings", "metricRelabelings"),
        many(fields(action=TEXT, regex=TEXT, replacement=TEXT, sourceLabels=many(TEXT), targetLabel=TEXT)),
    ),
)
_RULE: Final = fields(
    *("alert", "expr", "for", "labels", "annotations"),
    alert=TEXT,
    expr=TEXT,
    labels=mapping(TEXT),
    annotations=mapping(TEXT),
    **{"for": DURATION},
)
KINDS: Final[dict[str, dict[str, Schema]]] = {
    "v1/Pod": {"spec": POD},
    "v1/ServiceAccount": {"automountServiceAccountToken": FLAG},
    "v1/ConfigMap": {"data": mapping(TEXT)},
    "v1/Service": {
        "spec": fields(
            *("selector", "ports"),
            type=one_of("ClusterIP"),
            selector=mapping(LABEL),
            ipFamilies=many(one_of("IPv4", "IPv6")),
            ipFamilyPolicy=one_of("SingleStack", "PreferDualStack", "RequireDualStack"),
            ports=many(fields("name", "port", "targetPort", name=NAME, port=NUMBER, targetPort=PORT), least=1),
        )
    },
    "apps/v1/Deployment": {
        "spec": fields(
            *("selector", "template"),
            replicas=NUMBER,
            revisionHistoryLimit=NUMBER,
            strategy=fields("type", type=one_of("Recreate", "RollingUpdate"), rollingUpdate=mapping(EITHER)),
            selector=SELECTOR,
            template=fields(
                "metadata", "spec", metadata=fields(labels=mapping(LABEL), annotations=mapping(TEXT)), spec=POD
            ),
        )
    },
    "rbac.authorization.k8s.io/v1/Role": {"rules": RULES},
    "rbac.authorization.k8s.io/v1/ClusterRole": {"rules": RULES},
    "rbac.authorization.k8s.io/v1/RoleBinding": _binding("Role"),
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": _binding("ClusterRole"),
    "policy/v1/PodDisruptionBudget": {"spec": fields("selector", selector=SELECTOR, minAvailable=EITHER)},
    "networking.k8s.io/v1/NetworkPolicy": {
        "spec": fields(
            *("podSelector", "policyTypes"),
            podSelector=SELECTOR,
            policyTypes=many(one_of("Ingress", "Egress")),
            ingress=many(
                fields(ports=_PORTS, **{"from": many(fields(podSelector=SELECTOR, namespaceSelector=SELECTOR))})
            ),
            egress=many(fields(ports=_PORTS, to=many(fields(ipBlock=fields("cidr", cidr=TEXT), podSelector=SELECTOR)))),
        )
    },
    "monitoring.coreos.com/v1/ServiceMonitor": {
        "spec": fields(
            *("selector", "endpoints"),
            jobLabel=TEXT,
            namespaceSelector=fields(matchNames=many(NAME)),
            selector=SELECTOR,
            targetLabels=many(TEXT),
            endpoints=many(_ENDPOINT, least=1),
        )
    },
    "monitoring.coreos.com/v1/PrometheusRule": {
        "spec": fields("groups", groups=many(fields("name", "rules", name=NAME, rules=many(_RULE, least=1)), least=1))
    },
}
"""The schema of each kind, without its metadata."""


def write(folder: Path) -> str:
    """Write a schema file for each kind into *folder*. Return the value of kubeconform's -schema-location."""
    for kind, more in KINDS.items():
        group_version, _, name = kind.rpartition("/")
        schema = fields(
            *("apiVersion", "kind", "metadata", *more),
            apiVersion=one_of(group_version),
            kind=one_of(name),
            metadata=META,
            **more,
        )
        (folder / f"{name.lower()}.json").write_text(json.dumps(schema), encoding="utf-8")
    return str(folder / "{{ .ResourceKind }}.json")
