{{- /* What each source reads: objects of its own, which marks name, and others on the way to targets. */}}
{{- define "extdns.reads" -}}
ambassador-host: {own: [hosts.getambassador.io], others: [services]}
contour-httpproxy: {own: [httpproxies.projectcontour.io]}
crd: {own: [dnsendpoints.externaldns.k8s.io]}
f5-transportserver: {own: [transportservers.cis.f5.com]}
f5-virtualserver: {own: [virtualservers.cis.f5.com]}
gateway-grpcroute: {own: [grpcroutes.gateway.networking.k8s.io], others: [gateways.gateway.networking.k8s.io, namespaces]}
gateway-httproute: {own: [httproutes.gateway.networking.k8s.io], others: [gateways.gateway.networking.k8s.io, namespaces]}
gateway-tcproute: {own: [tcproutes.gateway.networking.k8s.io], others: [gateways.gateway.networking.k8s.io, namespaces]}
gateway-tlsroute: {own: [tlsroutes.gateway.networking.k8s.io], others: [gateways.gateway.networking.k8s.io, namespaces]}
gateway-udproute: {own: [udproutes.gateway.networking.k8s.io], others: [gateways.gateway.networking.k8s.io, namespaces]}
gloo-proxy: # no mark names a Proxy
  others:
    - gateways.gateway.solo.io
    - ingresses.networking.k8s.io
    - proxies.gloo.solo.io
    - services
    - virtualservices.gateway.solo.io
ingress: {own: [ingresses.networking.k8s.io]}
istio-gateway: {own: [gateways.networking.istio.io], others: [ingresses.networking.k8s.io, services]}
istio-virtualservice:
  own: [virtualservices.networking.istio.io]
  others: [gateways.networking.istio.io, ingresses.networking.k8s.io, services]
kong-tcpingress: {own: [tcpingresses.configuration.konghq.com]}
node: {own: [nodes]}
openshift-route: {own: [routes.route.openshift.io]}
pod: {others: [nodes, pods]} # no mark names a pod, so none is asked for by its name
service: {own: [services], others: [endpointslices.discovery.k8s.io, nodes, pods]}
{{- end }}

{{- /* What sources read that flags name: (list SOURCES ARGS) gives a YAML list of resources. */}}
{{- define "extdns.asked" -}}
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
The rights that arguments need, by where: `objects` where objects are read, `everywhere` whatever --namespace says, `gateways`
in --gateway-namespace. Each is a map from resources (plural.group) to verbs. Takes (list ROOT ARGS).
*/}}
{{- define "extdns.rights" -}}
{{- $args := index . 1 }}
{{- $sources := include "extdns.given" (list "source" $args) | fromYamlArray }}
{{- $namespaced := include "extdns.given" (list "namespace" $args) | fromYamlArray | first }}
{{- $gateways := include "extdns.given" (list "gateway-namespace" $args) | fromYamlArray | first }}
{{- $own := include "extdns.asked" (list $sources $args) | fromYamlArray }}
{{- $others := list }}
{{- $reads := include "extdns.reads" . | fromYaml }}
{{- range $sources }}
  {{- $own = concat $own (dig . "own" list $reads) }}
  {{- $others = concat $others (dig . "others" list $reads) }}
{{- end }}
{{- $hasGateways := has "gateways.gateway.networking.k8s.io" $others }}
{{- if and $hasGateways (has "--gateway-listener-sets" $args) }}
  {{- $others = append $others "listenersets.gateway.networking.k8s.io" }}
{{- end }}

{{- $objects := dict "events.events.k8s.io" (list "create" "patch") }}
{{- range $others }}
  {{- $_ := set $objects . (list "list" "watch") }}
{{- end }}
{{- range $own }}
  {{- $_ := set $objects . (list "get" "list" "watch") }}
{{- end }}
{{- if has "crd" $sources }}
  {{- $_ := set $objects "dnsendpoints/status.externaldns.k8s.io" (list "patch") }}
{{- end }}

{{- $everywhere := dict }}
{{- $inGateways := dict }}
{{- if $namespaced }}
  {{- $moved := list }}
  {{- if has "node" $sources }}
    {{- $moved = append $moved "nodes" }}
  {{- end }}
  {{- if has "ambassador-host" $sources }}
    {{- $moved = append $moved "services" }}
  {{- end }}
  {{- if has "gloo-proxy" $sources }}
    {{- $moved = concat $moved (dig "gloo-proxy" "others" list $reads) | uniq }}
  {{- end }}
  {{- if $hasGateways }}
    {{- $moved = append $moved "listenersets.gateway.networking.k8s.io" }}
    {{- if $gateways }}
      {{- $_ := set $inGateways "gateways.gateway.networking.k8s.io" (list "list" "watch") }}
    {{- else }}
      {{- $moved = concat $moved (list "gateways.gateway.networking.k8s.io" "namespaces") }}
    {{- end }}
  {{- end }}
  {{- range $moved }}
    {{- if hasKey $objects . }}
      {{- $_ := set $everywhere . (get $objects .) }}
    {{- end }}
  {{- end }}
  {{- $objects = omit $objects "nodes" "namespaces" "gateways.gateway.networking.k8s.io" "listenersets.gateway.networking.k8s.io" }}
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
The objects that the program keeps for itself, each with its name and namespace: the state, and the Lease where one is
elected. Takes (list ROOT ARGS); gives a YAML list.
*/}}
{{- define "extdns.kept" -}}
{{- $home := include "extdns.namespace" (index . 0) }}
{{- $args := index . 1 }}
{{- $kept := list }}
{{- $given := include "extdns.given" (list "state-configmap" $args) | fromYamlArray }}
{{- $state := empty $given | ternary (has "--compat" $args | ternary "" "extdns-state") (first $given) }}
{{- if $state }}
  {{- $at := splitList "/" $state }}
  {{- $namespace := gt (len $at) 1 | ternary (first $at) $home }}
  {{- $kept = append $kept (dict "name" (last $at) "namespace" $namespace "resource" "configmaps" "group" "") }}
{{- end }}
{{- if has "--leader-elect" $args }}
  {{- $name := include "extdns.given" (list "leader-elect-resource-name" $args) | fromYamlArray | first }}
  {{- $namespace := include "extdns.given" (list "leader-elect-resource-namespace" $args) | fromYamlArray | first | default $home }}
  {{- $kept = append $kept (dict "name" $name "namespace" $namespace "resource" "leases" "group" "coordination.k8s.io") }}
{{- end }}
{{- toYaml $kept }}
{{- end }}

{{- /* RBAC rules for one of those. */}}
{{- define "extdns.keeping" -}}
- apiGroups: [{{ quote .group }}]
  resources: [{{ .resource }}]
  verbs: [create]
- apiGroups: [{{ quote .group }}]
  resources: [{{ .resource }}]
  resourceNames: [{{ quote .name }}]
  verbs: [get, update]
{{- end }}
