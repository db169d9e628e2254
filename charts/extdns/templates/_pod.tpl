{{- /* The fields that the pod of the Deployment and that of `helm test` have in common. */}}
{{- define "extdns.pod" -}}
{{- $v := .Values -}}
serviceAccountName: {{ include "extdns.serviceAccount" . }}
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
