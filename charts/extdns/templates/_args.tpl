{{- /*
The arguments of the program, a YAML list. Named values come in the order of external-dns's chart; what is empty is left
to the program. All else (rights, namespaces) is read off these arguments, so that it does not matter which value gave one.
*/}}
{{- define "extdns.args" -}}
{{- $v := .Values }}
{{- $provider := ternary $v.provider (dig "name" "" (ternary dict $v.provider (kindIs "string" $v.provider))) (kindIs "string" $v.provider) }}
{{- $namespace := ternary ($v.sourceNamespace | default (include "extdns.namespace" .)) "" $v.namespaced }}
{{- $extra := list }}
{{- if kindIs "map" $v.extraArgs }}
  {{- range $flag, $value := $v.extraArgs }}
    {{- $extra = concat $extra (include "extdns.flag" (list $flag (ternary true $value (kindIs "invalid" $value))) | fromYamlArray) }}
  {{- end }}
{{- else }}
  {{- range $v.extraArgs }}
    {{- $isValue := and $extra (not (hasPrefix "-" .)) (not (hasPrefix "@" .)) }}
    {{- if and $isValue (not (contains "=" (last $extra))) }}
      {{- $extra = append (initial $extra) (printf "%s=%s" (last $extra) .) }}
    {{- else }}
      {{- $extra = append $extra . }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $elects := and (gt (int $v.replicaCount) 1) (not (has "--leader-elect" $extra)) }}
{{- range list "--no-leader-elect" "--compat" "--no-aws-conditional-writes" }}
  {{- if and $elects (has . $extra) }}
    {{- fail (printf "replicaCount %d and %s do not go together: of several replicas one is elected to write" (int $v.replicaCount) .) }}
  {{- end }}
{{- end }}
{{- $leases := or $elects (has "--leader-elect" $extra) }}
{{- $isNamed := include "extdns.given" (list "leader-elect-resource-name" $extra) | fromYamlArray }}
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
  (list "provider" $provider)
  (list "leader-elect" (ternary true "" $elects))
  (list "leader-elect-resource-name" (and $leases (not $isNamed) | ternary (include "extdns.fullname" .) "")) }}
{{- $args := list }}
{{- range $named }}
  {{- if not (has (index . 1) (list nil "")) }}
    {{- $args = concat $args (include "extdns.flag" . | fromYamlArray) }}
  {{- end }}
{{- end }}
{{- range $extra }}
  {{- $args = append $args (tpl . $) }}
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
