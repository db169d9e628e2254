{{- /*
The arguments of the program, a YAML list. Named values come in the order of external-dns's chart; what is empty is left
to the program. Permissions, ports and refusals read these arguments, so that it does not matter which value gave one.
*/}}
{{- define "extdns.args" -}}
{{- $v := .Values }}
{{- $namespace := "" }}
{{- if $v.namespaced }}
  {{- $namespace = $v.sourceNamespace | default (include "extdns.namespace" .) }}
{{- end }}
{{- $extra := (include "extdns.extraByProgram" . | fromYaml).extdns }}
{{- $sidecar := include "extdns.externalDns" . | fromYaml }}
{{- $named := list
  (list "log-level" $v.logLevel)
  (list "log-format" $v.logFormat)
  (list "interval" $v.interval)
  (list "events" ($v.triggerLoopOnEvent | default ""))
  (list "source" $v.sources)
  (list "policy" $v.policy)
  (list "registry" $v.registry)
  (list "txt-owner-id" $v.txtOwnerId)
  (list "txt-prefix" $v.txtPrefix)
  (list "txt-suffix" $v.txtSuffix)
  (list "namespace" $namespace)
  (list "gateway-namespace" $v.gatewayNamespace)
  (list "gateway-listener-sets" ($v.enableGatewayListenerSets | default ""))
  (list "domain-filter" $v.domainFilters)
  (list "exclude-domains" $v.excludeDomains)
  (list "label-filter" $v.labelFilter)
  (list "annotation-filter" $v.annotationFilter)
  (list "annotation-prefix" $v.annotationPrefix)
  (list "managed-record-types" $v.managedRecordTypes)
  (list "provider" ($sidecar | empty | ternary (include "extdns.provider" .) "webhook"))
  (list "webhook-provider-properties" ($sidecar.properties | default ""))
  (list "audit-log" (include "extdns.isGiven" (list "audit-log" $extra) | empty | ternary $v.auditLog ""))
  (list "refresh-calls-per-minute" $v.refreshCallsPerMinute)
  (list "opa-url" (include "extdns.hasOpa" . | empty | ternary "" "http://127.0.0.1:8181")) }}
{{- $args := list }}
{{- range $named }}
  {{- if not (has (index . 1) (list nil "")) }}
    {{- $args = concat $args (include "extdns.flag" . | fromYamlArray) }}
  {{- end }}
{{- end }}
{{- if $sidecar }}
  {{- $args = concat $args (include "extdns.timeouts" $extra | fromYamlArray) }}
{{- end }}
{{- concat $args (include "extdns.election" (list . $extra) | fromYamlArray) $extra | toYaml }}
{{- end }}

{{- /* The name of the provider in the values, "" for none. */}}
{{- define "extdns.provider" -}}
{{- $provider := .Values.provider | default "" }}
{{- if kindIs "map" $provider }}
  {{- $provider = $provider.name | default "" }}
{{- end }}
{{- tpl $provider . }}
{{- end }}

{{- /* For a provider that is reached through external-dns: its version and the properties that it keeps; a YAML map. */}}
{{- define "extdns.externalDns" -}}
{{- get (.Files.Get "files/flags.yaml" | fromYaml).sidecars (include "extdns.provider" .) | default dict | toYaml }}
{{- end }}

{{- /* The time limits of external-dns as a webhook, which the arguments of both have unless EXTRA does; a YAML list. */}}
{{- define "extdns.timeouts" -}}
{{- $args := list }}
{{- range $flag, $value := dict "webhook-provider-read-timeout" "30s" "webhook-provider-write-timeout" "120s" }}
  {{- if not (include "extdns.isGiven" (list $flag $)) }}
    {{- $args = append $args (printf "--%s=%s" $flag $value) }}
  {{- end }}
{{- end }}
{{- toYaml $args }}
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

{{- /* The same by the program that gets it, `extdns` or `sidecar`; a YAML map of two lists. */}}
{{- define "extdns.extraByProgram" -}}
{{- $found := dict "extdns" list "sidecar" list }}
{{- range include "extdns.extra" . | fromYamlArray }}
  {{- $program := include "extdns.isOfSidecar" (list $ (splitList "=" . | first | trimPrefix "--")) | empty | ternary "extdns" "sidecar" }}
  {{- $_ := set $found $program (append (get $found $program) .) }}
{{- end }}
{{- toYaml $found }}
{{- end }}

{{- /* Whether a flag is only for the sidecar with external-dns: (list ROOT FLAG) gives "true" or "". */}}
{{- define "extdns.isOfSidecar" -}}
{{- $root := index . 0 }}
{{- if and (include "extdns.externalDns" $root | fromYaml) (has (index . 1 | trimPrefix "no-") ($root.Files.Get "files/flags.yaml" | fromYaml).ofSidecars) }}true{{ end }}
{{- end }}

{{- /* The same for a variable of `env`: all but those of the flags of extdns. */}}
{{- define "extdns.isVariableOfSidecar" -}}
{{- $name := index . 1 }}
{{- if or (not (hasPrefix "EXTERNAL_DNS_" $name)) (include "extdns.isOfSidecar" (list (index . 0) ($name | trimPrefix "EXTERNAL_DNS_" | lower | replace "_" "-"))) }}true{{ end }}
{{- end }}

{{- /* What several replicas need besides the arguments that are given, (list ROOT EXTRA); a YAML list. */}}
{{- define "extdns.election" -}}
{{- $root := index . 0 }}
{{- $extra := index . 1 }}
{{- $args := list }}
{{- if gt (int $root.Values.replicaCount) 1 }}
  {{- $args = include "extdns.isGiven" (list "leader-elect" $extra) | empty | ternary (list "--leader-elect") list }}
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

{{- /*
The arguments, and those that plain variables EXTERNAL_DNS_* in `env` stand for, as the program reads them: an argument
wins over its variable, and a repeatable flag has one value a line. A YAML list.
*/}}
{{- define "extdns.settings" -}}
{{- $args := include "extdns.args" . | fromYamlArray }}
{{- $flags := .Files.Get "files/flags.yaml" | fromYaml }}
{{- $settings := $args }}
{{- range .Values.env }}
  {{- $flag := .name | trimPrefix "EXTERNAL_DNS_" | lower | replace "_" "-" }}
  {{- if and (hasPrefix "EXTERNAL_DNS_" .name) .value (not (include "extdns.isGiven" (list $flag $args))) }}
    {{- if and (has $flag $flags.switches) (has (toString .value | lower) (list "1" "t" "true")) }}
      {{- $settings = append $settings (printf "--%s" $flag) }}
    {{- else if has $flag $flags.valued }}
      {{- range has $flag $flags.repeatable | ternary (toString .value | trimSuffix "\n" | splitList "\n") (list (toString .value)) }}
        {{- $settings = append $settings (printf "--%s=%s" $flag .) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{- /* Whether a flag is in a list of arguments: (list FLAG ARGS) gives "true" or "". */}}
{{- define "extdns.isGiven" -}}
{{- $flag := index . 0 }}
{{- range index . 1 }}
  {{- if has (splitList "=" . | first) (list (printf "--%s" $flag) (printf "--no-%s" $flag)) }}true{{ end }}
{{- end }}
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
