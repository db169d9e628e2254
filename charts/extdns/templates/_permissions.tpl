{{- /* The resources of sources whose kinds flags name: (list SOURCES ARGS) gives a YAML list. */}}
{{- define "extdns.chosen" -}}
{{- $sources := index . 0 }}
{{- $args := index . 1 }}
{{- $own := list }}
{{- if has "skipper-routegroup" $sources }}
  {{- $version := include "extdns.given" (list "skipper-routegroup-groupversion" $args) | fromYamlArray | first | default "zalando.org/v1" }}
  {{- $own = append $own (printf "routegroups.%s" (splitList "/" $version | first)) }}
{{- end }}
{{- if has "traefik-proxy" $sources }}
  {{- $groups := concat (has "--traefik-disable-new" $args | ternary list (list "traefik.io"))
    (has "--traefik-enable-legacy" $args | ternary (list "traefik.containo.us") list) }}
  {{- range $group := $groups }}
    {{- range list "ingressroutes" "ingressroutetcps" "ingressrouteudps" }}
      {{- $own = append $own (printf "%s.%s" . $group) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- if has "unstructured" $sources }}
  {{- range include "extdns.given" (list "unstructured-resource" $args) | fromYamlArray }}
    {{- $parts := splitn "." 3 . }}
    {{- $own = append $own (list $parts._0 ($parts._2 | default "") | compact | join ".") }}
  {{- end }}
{{- end }}
{{- toYaml $own }}
{{- end }}

{{- /*
The namespace of the DNSRecords, "" without the registry crd. Takes (list ROOT ARGS).
*/}}
{{- define "extdns.registryNamespace" -}}
{{- if eq (include "extdns.given" (list "registry" (index . 1)) | fromYamlArray | first | default "") "crd" }}
{{- include "extdns.given" (list "crd-registry-namespace" (index . 1)) | fromYamlArray | first | default (include "extdns.namespace" (index . 0)) }}
{{- end }}
{{- end }}

{{- /*
The resources that `service` looks up for the types of Services in --service-type-filter: (list TABLE ARGS) gives a YAML list.
Without the flag, and with an empty value, these are all types.
*/}}
{{- define "extdns.lookups" -}}
{{- $types := include "extdns.given" (list "service-type-filter" (index . 1)) | fromYamlArray }}
{{- $found := list }}
{{- range $type, $resources := index . 0 }}
  {{- if or (not $types) (has "" $types) (has $type $types) }}
    {{- $found = concat $found $resources }}
  {{- end }}
{{- end }}
{{- uniq $found | toYaml }}
{{- end }}

{{- /*
The permissions that arguments need, by where: `objects` where objects are read, `everywhere` whatever --namespace says,
`gateways` in --gateway-namespace. Each is a map from resources (plural.group) to verbs. Takes (list ROOT ARGS).
*/}}
{{- define "extdns.permissions" -}}
{{- $args := index . 1 }}
{{- $table := (first .).Files.Get "files/permissions.yaml" | fromYaml }}
{{- $sources := include "extdns.given" (list "source" $args) | fromYamlArray }}
{{- $namespaced := include "extdns.given" (list "namespace" $args) | fromYamlArray | first }}
{{- $gateways := include "extdns.given" (list "gateway-namespace" $args) | fromYamlArray | first }}
{{- $named := include "extdns.chosen" (list $sources $args) | fromYamlArray }}
{{- $listed := list }}
{{- range $sources }}
  {{- $named = concat $named (dig . "named" list $table.sources) }}
  {{- $listed = concat $listed (dig . "listed" list $table.sources) }}
{{- end }}
{{- if has "service" $sources }}
  {{- $listed = concat $listed (include "extdns.lookups" (list $table.serviceTypes $args) | fromYamlArray) }}
{{- end }}
{{- $hasGateways := has "gateways.gateway.networking.k8s.io" $listed }}
{{- if and $hasGateways (has "--gateway-listener-sets" $args) }}
  {{- $listed = append $listed "listenersets.gateway.networking.k8s.io" }}
{{- end }}
{{- if or (include "extdns.isGiven" (list "opa-url" $args)) (include "extdns.isGiven" (list "policy-rules" $args)) }}
  {{- $listed = append $listed "namespaces" }}
{{- end }}

{{- $objects := dict "events.events.k8s.io" (list "create" "patch") }}
{{- range $listed }}
  {{- $_ := set $objects . (list "list" "watch") }}
{{- end }}
{{- range $named }}
  {{- $_ := set $objects . (list "get" "list" "watch") }}
{{- end }}
{{- if has "crd" $sources }}
  {{- $_ := set $objects "dnsendpoints/status.externaldns.k8s.io" (list "patch") }}
  {{- if include "extdns.isGiven" (list "finalizer-timeout" $args) }}
    {{- $_ := set $objects "dnsendpoints.externaldns.k8s.io" (list "get" "list" "watch" "patch") }}
  {{- end }}
{{- end }}

{{- $rules := include "extdns.given" (list "policy-rules" $args) | fromYamlArray }}
{{- if $rules }}
  {{- $_ := set $objects "namespaces" (get $objects "namespaces" | default (list "list" "watch")) }}
{{- end }}
{{- if has "cluster" $rules }}
  {{- $_ := set $objects "dnspolicies.extdns.io" (list "get" "list" "watch") }}
  {{- $_ := set $objects "dnspolicies/status.extdns.io" (list "patch") }}
{{- end }}

{{- $everywhere := dict }}
{{- $inGateways := dict }}
{{- if $namespaced }}
  {{- $moved := list }}
  {{- range $sources }}
    {{- $moved = concat $moved (dig . "everywhere" list $table.sources) }}
  {{- end }}
  {{- if $hasGateways }}
    {{- if $gateways }}
      {{- $moved = without $moved "gateways.gateway.networking.k8s.io" }}
      {{- $_ := set $inGateways "gateways.gateway.networking.k8s.io" (list "list" "watch") }}
    {{- else }}
      {{- $moved = append $moved "namespaces" }}
    {{- end }}
  {{- end }}
  {{- if $rules }}
    {{- $moved = concat $moved (list "namespaces" "dnspolicies.extdns.io" "dnspolicies/status.extdns.io") }}
  {{- end }}
  {{- range $moved }}
    {{- if hasKey $objects . }}
      {{- $_ := set $everywhere . (get $objects .) }}
    {{- end }}
  {{- end }}
  {{- $objects = omit $objects "nodes" "namespaces" "gateways.gateway.networking.k8s.io" "listenersets.gateway.networking.k8s.io" "dnspolicies.extdns.io" "dnspolicies/status.extdns.io" }}
{{- end }}
{{- dict "objects" $objects "everywhere" $everywhere "gateways" $inGateways | toYaml }}
{{- end }}

{{- /* RBAC rules of a map from resources to verbs. */}}
{{- define "extdns.rules" -}}
{{- range $resource, $verbs := . }}
{{- $parts := splitn "." 2 $resource }}
- apiGroups: [{{ $parts._1 | default "" | quote }}]
  resources: [{{ $parts._0 }}]
  verbs: {{ $verbs | toJson }}
{{- end }}
{{- end }}

{{- /*
The objects that the program writes for itself, each with its name and namespace: the state, and the Lease if a leader is
elected. Takes (list ROOT ARGS); gives a YAML list.
*/}}
{{- define "extdns.ownObjects" -}}
{{- $home := include "extdns.namespace" (index . 0) }}
{{- $args := index . 1 }}
{{- $own := list }}
{{- $given := include "extdns.given" (list "state-configmap" $args) | fromYamlArray }}
{{- $state := empty $given | ternary (has "--compat" $args | ternary "" "extdns-state") (first $given) }}
{{- if $state }}
  {{- $at := splitList "/" $state }}
  {{- $namespace := gt (len $at) 1 | ternary (first $at) $home }}
  {{- $own = append $own (dict "name" (last $at) "namespace" $namespace "resource" "configmaps" "group" "") }}
{{- end }}
{{- if has "--leader-elect" $args }}
  {{- $name := include "extdns.given" (list "leader-elect-resource-name" $args) | fromYamlArray | first }}
  {{- $namespace := include "extdns.given" (list "leader-elect-resource-namespace" $args) | fromYamlArray | first | default $home }}
  {{- $own = append $own (dict "name" $name "namespace" $namespace "resource" "leases" "group" "coordination.k8s.io") }}
{{- end }}
{{- toYaml $own }}
{{- end }}

{{- /* RBAC rules for one of these objects. */}}
{{- define "extdns.ownRules" -}}
- apiGroups: [{{ quote .group }}]
  resources: [{{ .resource }}]
  verbs: [create]
- apiGroups: [{{ quote .group }}]
  resources: [{{ .resource }}]
  resourceNames: [{{ quote .name }}]
  verbs: [get, update]
{{- end }}
