{{- define "extdns.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "extdns.fullname" -}}
{{- $name := include "extdns.name" . }}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- .Values.fullnameOverride | default $both | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "extdns.namespace" -}}
{{ .Values.namespaceOverride | default .Release.Namespace }}
{{- end }}

{{- define "extdns.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "extdns.fullname" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "extdns.image" -}}
{{- with .Values.image }}
{{- .repository }}{{ with .digest }}@{{ . }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
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
{{- with $more.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
