{{/*
The specification of a pod: a dict of root, name, args and, of a further cell, cell; for a pod without a process of its own, command.
Pod Security "restricted" accepts it. Secrets are mounted as files; a changed Secret changes the files within about a minute.
*/}}
{{- define "tenantscope.pod" -}}
{{- $values := include "tenantscope.values" . | fromJson -}}
{{- $process := include "tenantscope.process" . | fromJson -}}
{{- $files := include "tenantscope.files" . | fromJson -}}
{{- $authorities := .root.Values.authorities -}}
{{- /* Otherwise Kubernetes adds variables such as TENANTSCOPE_API_SERVICE_HOST, which processes refuse. */}}
enableServiceLinks: false
automountServiceAccountToken: false
{{- $drainMs := default 0 (get (include "tenantscope.variables" . | fromJson) "TENANTSCOPE_DRAIN_MS") }}
terminationGracePeriodSeconds: {{ add 40 (ceil (divf $drainMs 1000) | int) | max 45 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .root.Values.user }}
  runAsUser: {{ int . }}
  runAsGroup: {{ int . }}
  fsGroup: {{ int . }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "tenantscope.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    {{- with .command }}
    command: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .args }}
    args: {{- toYaml . | nindent 6 }}
    {{- end }}
    env:
      {{- range $variable, $value := include "tenantscope.variables" . | fromJson }}
      - name: {{ $variable }}
        value: {{ include "tenantscope.value" $value | quote }}
      {{- end }}
      {{- range $variable, $file := $files }}
      - name: {{ $variable }}
        value: /run/secrets/tenantscope/{{ $file.path }}
      {{- end }}
      {{- if $authorities }}
      - name: NODE_EXTRA_CA_CERTS
        value: /run/secrets/tenantscope/authorities.pem
      {{- end }}
    {{- with $process.ports }}
    ports:
      {{- range $port, $number := . }}
      - { name: {{ $port }}, containerPort: {{ $number }} }
      {{- end }}
    startupProbe:
      httpGet: { path: /livez, port: health }
      periodSeconds: 2
      timeoutSeconds: 3
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /livez, port: health }
      periodSeconds: 15
      timeoutSeconds: 5
      failureThreshold: 4
    readinessProbe:
      httpGet: { path: /readyz, port: health }
      periodSeconds: 5
      timeoutSeconds: 3
      failureThreshold: 2
    {{- end }}
    {{- with $values.resources }}
    resources: {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: secrets, mountPath: /run/secrets/tenantscope, readOnly: true }
      - { name: temporary, mountPath: /tmp }
      {{- if $values.providerSecret }}
      - { name: collectors, mountPath: /etc/tenantscope/collectors, readOnly: true }
      {{- end }}
volumes:
  - name: secrets
    projected:
      # Readable by the group of the process.
      defaultMode: 0440
      sources:
        {{- range $files }}
        - secret:
            name: {{ .secret }}
            items: [{ key: {{ .key | quote }}, path: {{ .path }} }]
        {{- end }}
        {{- with $authorities }}
        - secret:
            name: {{ .secret }}
            items: [{ key: {{ default "ca.crt" .key | quote }}, path: authorities.pem }]
        {{- end }}
  - name: temporary
    emptyDir: { medium: Memory, sizeLimit: 64Mi }
  {{- with $values.providerSecret }}
  - name: collectors
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
{{- end -}}
