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
{{- $fields := dict "imagePullPolicy" $image.pullPolicy "resources" $v.resources "securityContext" $v.securityContext "livenessProbe" $v.livenessProbe }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "resources" "securityContext" "livenessProbe") }}
{{ . }}
{{- end }}
{{- end }}

{{- /*
Both sidecars, a YAML list. Open Policy Agent listens on loopback only, so nothing else can ask or change it. Its other
port has nothing but health and metrics.
*/}}
{{- define "extdns.policySidecars" -}}
{{- $opa := .Values.opa -}}
- {{ include "extdns.policySidecar" (list "opa" $opa (list "run" "--server" "--addr=127.0.0.1:8181" "--diagnostic-addr=0.0.0.0:8282")) | nindent 2 | trim }}
  ports:
    - name: http-opa
      containerPort: 8282
{{- $args := list "--opa-url=http://127.0.0.1:8181/v1" (printf "--namespaces=%s" (include "extdns.policyNamespace" .)) "--enable-policies=true" "--enable-data=true" }}
{{- range ($opa.kubeMgmt).replicate }}
  {{- $args = append $args (printf "--replicate=%s" .) }}
{{- end }}
{{- range ($opa.kubeMgmt).replicateCluster }}
  {{- $args = append $args (printf "--replicate-cluster=%s" .) }}
{{- end }}
- {{ include "extdns.policySidecar" (list "kube-mgmt" $opa.kubeMgmt $args) | nindent 2 | trim }}
{{- end }}

{{- /* RBAC rules for the ConfigMaps with policies: kube-mgmt loads and annotates them, extdns writes the status of policies. */}}
{{- define "extdns.policyRules" -}}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, update, patch]
{{- end }}

{{- /* RBAC rules for what kube-mgmt copies; "" if that is nothing. */}}
{{- define "extdns.replicateRules" -}}
{{- $v := (.Values.opa).kubeMgmt | default dict }}
{{- range concat ($v.replicate | default list) ($v.replicateCluster | default list) }}
{{- $parts := splitList "/" . }}
- apiGroups: [{{ ternary (first $parts) "" (gt (len $parts) 2) | quote }}]
  resources: [{{ last $parts }}]
  verbs: [list, watch]
{{- end }}
{{- end }}

{{- define "extdns.opaProblems" -}}
{{- $problems := list }}
{{- if include "extdns.hasOpa" . }}
  {{- $images := dict "opa.image" .Values.opa.image "opa.kubeMgmt.image" (.Values.opa.kubeMgmt).image }}
  {{- range $key := list "replicate" "replicateCluster" }}
    {{- range index ($.Values.opa.kubeMgmt | default dict) $key }}
      {{- if not (regexMatch "^([a-z0-9.-]+/)?v[a-z0-9]+/[a-z]([a-z0-9-]*[a-z0-9])?$" .) }}
        {{- $problems = append $problems (printf "opa.kubeMgmt.%s: %s is no resource; allowed: VERSION/PLURAL or GROUP/VERSION/PLURAL, as v1/services." $key .) }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- range $name, $image := $images }}
    {{- if not (and ($image).repository ($image).tag) }}
      {{- $problems = append $problems (printf "%s: repository and tag of the sidecar are required with opa.enabled. Set both." $name) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toYaml $problems }}
{{- end }}
