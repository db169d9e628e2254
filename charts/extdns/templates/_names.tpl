{{- /* Whether objects are named as external-dns's chart names them: "true" or "". Unset means yes. */}}
{{- define "extdns.compat" -}}
{{- if ne (toString .Values.compat) "false" }}true{{ end }}
{{- end }}

{{- /* The name of the program, after which objects and the container are named. */}}
{{- define "extdns.program" -}}
{{ if include "extdns.compat" . }}external-dns{{ else }}extdns{{ end }}
{{- end }}

{{- define "extdns.name" -}}
{{ .Values.nameOverride | default (include "extdns.program" .) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "extdns.fullname" -}}
{{- $name := .Values.nameOverride | default (include "extdns.program" .) }}
{{- $both := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $both | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "extdns.namespace" -}}
{{ .Values.namespaceOverride | default .Release.Namespace }}
{{- end }}

{{- define "extdns.serviceAccount" -}}
{{- $account := .Values.serviceAccount | default dict }}
{{- $account.name | default (ternary (include "extdns.fullname" .) "default" ($account.create | default false)) }}
{{- end }}

{{- /* The image: by default the one that Chart.yaml names for Artifact Hub, which is the one that is published. */}}
{{- define "extdns.image" -}}
{{- $published := index .Chart.Annotations "artifacthub.io/images" | fromYamlArray | first }}
{{- $image := .Values.image | default dict }}
{{- $image.repository | default (regexReplaceAll ":[^:/]*$" $published.image "") }}{{ with $image.digest }}@{{ . }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "extdns.selector" -}}
app.kubernetes.io/name: {{ include "extdns.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "extdns.labels" -}}
{{- $ours := dict "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")
  "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service }}
{{- toYaml (mergeOverwrite $ours (.Values.commonLabels | default dict) (include "extdns.selector" . | fromYaml)) }}
{{- end }}

{{- /* Templates of external-dns's chart that values may use. */}}
{{- define "external-dns.name" }}{{ include "extdns.name" . }}{{ end }}
{{- define "external-dns.fullname" }}{{ include "extdns.fullname" . }}{{ end }}
{{- define "external-dns.namespace" }}{{ include "extdns.namespace" . }}{{ end }}
{{- define "external-dns.serviceAccountName" }}{{ include "extdns.serviceAccount" . }}{{ end }}
{{- define "external-dns.selectorLabels" }}{{ include "extdns.selector" . }}{{ end }}
{{- define "external-dns.labels" }}{{ include "extdns.labels" . }}{{ end }}

{{- /* Metadata of an object: (list ROOT NAME), and a dict of namespace, labels and annotations. */}}
{{- define "extdns.metadata" -}}
{{- $root := index . 0 }}
{{- $more := index . 2 -}}
name: {{ index . 1 }}
{{- with $more.namespace }}
namespace: {{ . }}
{{- end }}
labels:
  {{- mergeOverwrite (include "extdns.labels" $root | fromYaml) ($more.labels | default dict) | toYaml | nindent 2 }}
{{- with mergeOverwrite (deepCopy ($root.Values.commonAnnotations | default dict)) ($more.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The fields of a map that are set: (list MAP NAME...), as YAML. Null and "" are left out, false and 0 are not. */}}
{{- define "extdns.fields" -}}
{{- $found := dict }}
{{- range $name := rest . }}
  {{- $value := get (first $) $name }}
  {{- if not (or (kindIs "invalid" $value) (has $value (list "" dict list))) }}
    {{- $_ := set $found $name $value }}
  {{- end }}
{{- end }}
{{- if $found }}{{ toYaml $found }}{{ end }}
{{- end }}

{{- /* An affinity whose terms select our own pods where they select none: (list AFFINITY SELECTOR). */}}
{{- define "extdns.affinity" -}}
{{- $affinity := deepCopy (index . 0) }}
{{- $selector := index . 1 }}
{{- range list "podAffinity" "podAntiAffinity" }}
  {{- with get $affinity . }}
    {{- $terms := .requiredDuringSchedulingIgnoredDuringExecution | default list }}
    {{- range .preferredDuringSchedulingIgnoredDuringExecution }}
      {{- $terms = append $terms .podAffinityTerm }}
    {{- end }}
    {{- range $terms }}
      {{- if not (hasKey . "labelSelector") }}
        {{- $_ := merge . $selector }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $affinity }}
{{- end }}
