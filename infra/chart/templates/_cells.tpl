{{/* Further cells: docs/operations/cells.md. */}}

{{/* Of a process that reads several cells, as JSON: their names and, for each, what the process declares. A dict of root and name. */}}
{{- define "tenantscope.cellVariables" -}}
{{- $process := include "tenantscope.process" . | fromJson -}}
{{- $members := dict "DATABASE" "database" "TOPIC_PREFIX" "topicPrefix" "STANDBYS" "standbys" "STANDBY_NAMES" "standbyNames" "READ_REPLICAS" "readReplicas" -}}
{{- $variables := dict "TENANTSCOPE_CELLS" (keys .root.Values.cells | sortAlpha | join ",") -}}
{{- range $cell, $values := .root.Values.cells -}}
{{- range $declared := $process.cellVariables -}}
{{- $value := get $values (get $members $declared) -}}
{{- if kindIs "slice" $value }}{{ $value = join "," $value }}{{ end -}}
{{- with $value }}{{ $_ := set $variables (printf "TENANTSCOPE_CELL_%s_%s" ($cell | upper | replace "-" "_") $declared) . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $variables -}}
{{- end -}}

{{/* The names of the further cells whose databases a process connects to, as JSON: its own, or all of them. */}}
{{- define "tenantscope.cellDestinations" -}}
{{- $names := list -}}
{{- if .cell }}{{ $names = list .cell }}
{{- else if (include "tenantscope.process" . | fromJson).cellVariables }}{{ $names = keys .root.Values.cells | sortAlpha }}{{ end -}}
{{- toJson $names -}}
{{- end -}}

{{/* Fails where two cells have the same database, login or topics, as a copied section has. */}}
{{- define "tenantscope.checkCells" -}}
{{- $seen := dict -}}
{{- range $name := list "ingest" "jobs" -}}
{{- $variable := printf "TENANTSCOPE_%s_DATABASE_URL_FILE" (upper $name) -}}
{{- range $file := list (get (index $.Values $name).files $variable) -}}
{{- with $file }}{{ $_ := set $seen (printf "Secret %s, key %s" .secret (default (trimSuffix "_FILE" $variable) .key)) (printf "%s.files.%s" $name $variable) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $_ := set $seen (printf "topic prefix %s" (default "tenantscope" (get .Values.env "TENANTSCOPE_TOPIC_PREFIX"))) "the cell default" -}}
{{- range $cell, $values := .Values.cells -}}
{{- $given := dict (printf "cells.%s.database" $cell) (printf "address %s" $values.database) (printf "cells.%s.topicPrefix" $cell) (printf "topic prefix %s" $values.topicPrefix) -}}
{{- range $name := list "ingest" "jobs" -}}
{{- $variable := printf "TENANTSCOPE_%s_DATABASE_URL_FILE" (upper $name) -}}
{{- $file := index $values $name "files" $variable -}}
{{- $_ := set $given (printf "cells.%s.%s.files.%s" $cell $name $variable) (printf "Secret %s, key %s" $file.secret (default (trimSuffix "_FILE" $variable) $file.key)) -}}
{{- end -}}
{{- range $path, $value := $given -}}
{{- with get $seen $value }}{{ fail (printf "%s is that of %s (%s): each cell has its own" $path . $value) }}{{ end -}}
{{- $_ := set $seen $value $path -}}
{{- end -}}
{{- end -}}
{{- end -}}
