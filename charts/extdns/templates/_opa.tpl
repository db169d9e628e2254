{{- /* Not empty if the pod has the sidecars with Open Policy Agent and kube-mgmt. */}}
{{- define "extdns.hasOpa" -}}
{{- if (.Values.opa).enabled }}true{{ end }}
{{- end }}

{{- /* The namespace of the ConfigMaps with policies. */}}
{{- define "extdns.policyNamespace" -}}
{{- (.Values.opa).policyNamespace | default (include "extdns.namespace" .) }}
{{- end }}

{{- /* The fields of a sidecar: (list NAME VALUES ARGS). */}}
{{- define "extdns.policySidecar" -}}
{{- $v := index . 1 | default dict -}}
{{- $image := $v.image | default dict -}}
name: {{ index . 0 }}
image: {{ printf "%s:%s" $image.repository (toString $image.tag) }}
args:
  {{- concat (index . 2) ($v.args | default list) | toYaml | nindent 2 }}
{{- $fields := dict "imagePullPolicy" $image.pullPolicy "resources" $v.resources "securityContext" $v.securityContext }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "resources" "securityContext") }}
{{ . }}
{{- end }}
{{- end }}

{{- /* Both sidecars, a YAML list. Open Policy Agent listens on loopback only, so nothing else can ask or change it. */}}
{{- define "extdns.policySidecars" -}}
{{- $opa := .Values.opa -}}
- {{ include "extdns.policySidecar" (list "opa" $opa (list "run" "--server" "--addr=127.0.0.1:8181")) | nindent 2 | trim }}
{{- $args := list "--opa-url=http://127.0.0.1:8181/v1" (printf "--namespaces=%s" (include "extdns.policyNamespace" .)) "--enable-policies=true" "--enable-data=true" }}
- {{ include "extdns.policySidecar" (list "kube-mgmt" $opa.kubeMgmt $args) | nindent 2 | trim }}
{{- end }}

{{- /* RBAC rules for the ConfigMaps with policies: kube-mgmt loads and annotates them, extdns writes the status of policies. */}}
{{- define "extdns.policyRules" -}}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, update, patch]
{{- end }}

{{- define "extdns.opaProblems" -}}
{{- $problems := list }}
{{- if include "extdns.hasOpa" . }}
  {{- $images := dict "opa.image" .Values.opa.image "opa.kubeMgmt.image" (.Values.opa.kubeMgmt).image }}
  {{- range $name, $image := $images }}
    {{- if not (and ($image).repository ($image).tag) }}
      {{- $problems = append $problems (printf "%s: repository and tag of the sidecar are required with opa.enabled. Set both." $name) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $problems }}
{{- end }}
