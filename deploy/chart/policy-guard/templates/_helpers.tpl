{{- define "policy-guard.labels" -}}
app.kubernetes.io/name: policy-guard
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "policy-guard.selector" -}}
app.kubernetes.io/name: policy-guard
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "policy-guard.image" -}}
{{- if .digest -}}
{{ printf "%s@%s" .repository .digest }}
{{- else -}}
{{ printf "%s:%s" .repository .tag }}
{{- end -}}
{{- end }}

{{- define "policy-guard.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "policy-guard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "policy-guard.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: management}
  periodSeconds: 2
  failureThreshold: 90
livenessProbe:
  httpGet: {path: /livez, port: management}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: management}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{- define "policy-guard.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "policy-guard.selector" . | nindent 6 }}
{{- end }}

{{- define "policy-guard.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "policy-guard.controlPlaneUrl" -}}
{{- if .Values.runtime.controlPlaneUrl -}}
{{ .Values.runtime.controlPlaneUrl }}
{{- else -}}
{{ printf "%s://%s-control-plane.%s.svc:8080" (include "policy-guard.scheme" .) .Release.Name .Release.Namespace }}
{{- end -}}
{{- end }}

{{- define "policy-guard.scheme" -}}
{{- if .Values.controlPlane.tls.secretName -}}
https
{{- else -}}
http
{{- end -}}
{{- end }}
