{{- /* The fields that the pod of the Deployment and that of `helm test` have in common. */}}
{{- define "extdns.pod" -}}
{{- $v := .Values -}}
serviceAccountName: {{ include "extdns.serviceAccount" . }}
{{- /* The variables of a Service called external-dns begin as those of the flags do. */}}
enableServiceLinks: false
{{- with concat ((.Values.global).imagePullSecrets | default list) ($v.imagePullSecrets | default list) }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $fields := dict "securityContext" $v.podSecurityContext "nodeSelector" $v.nodeSelector "tolerations" $v.tolerations
  "volumes" $v.extraVolumes "automountServiceAccountToken" $v.automountServiceAccountToken }}
{{- with include "extdns.fields" (list $fields "securityContext" "nodeSelector" "tolerations" "volumes" "automountServiceAccountToken") }}
{{ . }}
{{- end }}
{{- end }}

{{- /* The same for the container, without its name, arguments, ports and probes. */}}
{{- define "extdns.container" -}}
{{- $v := .Values -}}
image: {{ include "extdns.image" . }}
{{- $fields := dict "imagePullPolicy" ($v.image).pullPolicy "securityContext" $v.securityContext "volumeMounts" $v.extraVolumeMounts }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "securityContext" "volumeMounts") }}
{{ . }}
{{- end }}
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  - name: POD_NAMESPACE
    valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
  {{- range $flag, $ref := $v.secretArgs }}
  - name: EXTERNAL_DNS_{{ upper $flag | replace "-" "_" }}
    valueFrom: {secretKeyRef: {{ toJson $ref }}}
  {{- end }}
  {{- with $v.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* The values of the sidecar with a webhook provider; empty for `provider: NAME`. */}}
{{- define "extdns.webhook" -}}
{{- if kindIs "map" .Values.provider }}
{{- .Values.provider.webhook | default dict | toYaml }}
{{- end }}
{{- end }}

{{- /* Not empty if the pod has the sidecar. */}}
{{- define "extdns.hasWebhook" -}}
{{- if has "--provider=webhook" (include "extdns.settings" . | fromYamlArray) }}true{{ end }}
{{- end }}

{{- /* The fields of the sidecar. */}}
{{- define "extdns.sidecar" -}}
{{- $w := include "extdns.webhook" . | fromYaml -}}
name: webhook
image: {{ printf "%s:%s" $w.image.repository (toString $w.image.tag) }}
{{- $fields := dict "imagePullPolicy" $w.image.pullPolicy "env" $w.env "args" $w.args "volumeMounts" $w.extraVolumeMounts
  "resources" $w.resources "securityContext" $w.securityContext "livenessProbe" $w.livenessProbe "readinessProbe" $w.readinessProbe }}
{{- with include "extdns.fields" (list $fields "imagePullPolicy" "env" "args" "volumeMounts" "resources" "securityContext" "livenessProbe" "readinessProbe") }}
{{ . }}
{{- end }}
ports:
  - name: http-webhook
    containerPort: 8080
{{- end }}
