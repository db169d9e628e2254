{{- /*
The arguments of the program, a YAML list. Named values come in the order of external-dns's chart; what is empty is left
to the program. All else (rights, namespaces) is read off these arguments, so that it does not matter which value gave one.
*/}}
{{- define "extdns.args" -}}
{{- $v := .Values }}
{{- $provider := kindIs "string" $v.provider | ternary $v.provider (get (kindIs "string" $v.provider | ternary dict $v.provider) "name") }}
{{- $namespace := $v.namespaced | ternary ($v.sourceNamespace | default (include "extdns.namespace" .)) "" }}
{{- $extra := include "extdns.extra" . | fromYamlArray }}
{{- $named := list
  (list "log-level" $v.logLevel)
  (list "log-format" $v.logFormat)
  (list "interval" $v.interval)
  (list "events" (ternary true "" $v.triggerLoopOnEvent))
  (list "source" $v.sources)
  (list "policy" $v.policy)
  (list "registry" $v.registry)
  (list "txt-owner-id" $v.txtOwnerId)
  (list "txt-prefix" $v.txtPrefix)
  (list "txt-suffix" $v.txtSuffix)
  (list "namespace" $namespace)
  (list "gateway-namespace" $v.gatewayNamespace)
  (list "gateway-listener-sets" (ternary true "" $v.enableGatewayListenerSets))
  (list "domain-filter" $v.domainFilters)
  (list "exclude-domains" $v.excludeDomains)
  (list "label-filter" $v.labelFilter)
  (list "annotation-filter" $v.annotationFilter)
  (list "annotation-prefix" $v.annotationPrefix)
  (list "managed-record-types" $v.managedRecordTypes)
  (list "provider" $provider) }}
{{- $args := list }}
{{- range $named }}
  {{- if not (has (index . 1) (list nil "")) }}
    {{- $args = concat $args (include "extdns.flag" . | fromYamlArray) }}
  {{- end }}
{{- end }}
{{- concat $args (include "extdns.election" (list . $extra) | fromYamlArray) $extra | toYaml }}
{{- end }}

{{- /* What extraArgs gives, templates filled in and values joined to their flags; a YAML list. */}}
{{- define "extdns.extra" -}}
{{- $given := list }}
{{- if kindIs "map" .Values.extraArgs }}
  {{- range $flag, $value := .Values.extraArgs }}
    {{- $given = concat $given (include "extdns.flag" (list $flag (kindIs "invalid" $value | ternary true $value)) | fromYamlArray) }}
  {{- end }}
{{- else }}
  {{- $given = .Values.extraArgs | default list }}
{{- end }}
{{- $extra := list }}
{{- range $given }}
  {{- $arg := tpl . $ }}
  {{- $isValue := and $extra (not (hasPrefix "-" $arg)) (not (hasPrefix "@" $arg)) }}
  {{- if and $isValue (not (contains "=" (last $extra))) }}
    {{- $extra = append (initial $extra) (printf "%s=%s" (last $extra) $arg) }}
  {{- else }}
    {{- $extra = append $extra $arg }}
  {{- end }}
{{- end }}
{{- toYaml $extra }}
{{- end }}

{{- /* What several replicas need besides the arguments that are given, (list ROOT EXTRA); a YAML list. */}}
{{- define "extdns.election" -}}
{{- $root := index . 0 }}
{{- $extra := index . 1 }}
{{- $replicas := int $root.Values.replicaCount }}
{{- $args := list }}
{{- if gt $replicas 1 }}
  {{- range list "--no-leader-elect" "--compat" "--no-aws-conditional-writes" }}
    {{- if has . $extra }}
      {{- fail (printf "replicaCount %d and %s do not go together: of several replicas one is elected to write" $replicas .) }}
    {{- end }}
  {{- end }}
  {{- $args = has "--leader-elect" $extra | ternary list (list "--leader-elect") }}
{{- end }}
{{- if and (has "--leader-elect" (concat $args $extra)) (not (include "extdns.given" (list "leader-elect-resource-name" $extra) | fromYamlArray)) }}
  {{- $args = append $args (printf "--leader-elect-resource-name=%s" (include "extdns.fullname" $root)) }}
{{- end }}
{{- toYaml $args }}
{{- end }}

{{- /* One flag with its value: (list FLAG VALUE) gives a YAML list of arguments. */}}
{{- define "extdns.flag" -}}
{{- $flag := index . 0 }}
{{- $value := index . 1 }}
{{- $args := list }}
{{- if kindIs "bool" $value }}
  {{- $args = list (printf "--%s%s" (ternary "" "no-" $value) $flag) }}
{{- else }}
  {{- range (kindIs "slice" $value | ternary $value (list $value)) }}
    {{- $args = append $args (printf "--%s=%v" $flag (kindIs "float64" . | ternary (int64 .) .)) }}
  {{- end }}
{{- end }}
{{- toYaml $args }}
{{- end }}

{{- /* What a flag has in a list of arguments: (list FLAG ARGS) gives a YAML list of its values. */}}
{{- define "extdns.given" -}}
{{- $prefix := printf "--%s=" (index . 0) }}
{{- $values := list }}
{{- range index . 1 }}
  {{- if hasPrefix $prefix . }}
    {{- $values = append $values (trimPrefix $prefix .) }}
  {{- end }}
{{- end }}
{{- toYaml $values }}
{{- end }}

{{- /* The ports of the pod that arguments open, a YAML map by name: that of the live page only if others can reach it. */}}
{{- define "extdns.ports" -}}
http: {{ include "extdns.given" (list "metrics-address" .) | fromYamlArray | first | default ":7979" | splitList ":" | last }}
{{- with include "extdns.given" (list "web-address" .) | fromYamlArray | first }}
{{- if not (regexMatch "^(127\\.|localhost:|\\[::1\\]:)" .) }}
web: {{ splitList ":" . | last }}
{{- end }}
{{- end }}
{{- end }}
