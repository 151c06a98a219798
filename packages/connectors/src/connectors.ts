/** A SIEM product or shipper with files that configure it to read the API. */
export interface Connector {
  readonly product: string;
  /** In docs/siem. */
  readonly page: string;
  /** `api`: it polls; `tail`: it reads files that `tenantscope tail` writes. */
  readonly reads: 'api' | 'tail';
  /** `run`: `npm run torture` runs it against the product. `names`: every name of the API in its files is checked; the product was not run. */
  readonly checked: 'run' | 'names';
  readonly delivery: 'exactly once' | 'at least once' | 'not defined by the product';
  /** Relative to packages/connectors. */
  readonly files: readonly string[];
}

const fromFiles = { reads: 'tail', checked: 'names', delivery: 'at least once' } as const;
const fromApi = { reads: 'api', checked: 'names', delivery: 'at least once' } as const;

/** Every connector, in the order of docs/siem/README.md. */
export const connectors: readonly Connector[] = [
  {
    product: 'Splunk',
    page: 'splunk.md',
    reads: 'api',
    checked: 'run',
    delivery: 'at least once',
    files: [
      'splunk/TA-tenantscope/README/inputs.conf.spec',
      'splunk/TA-tenantscope/bin/tenantscope.py',
      'splunk/TA-tenantscope/default/app.conf',
      'splunk/TA-tenantscope/default/eventtypes.conf',
      'splunk/TA-tenantscope/default/inputs.conf',
      'splunk/TA-tenantscope/default/props.conf',
      'splunk/TA-tenantscope/default/tags.conf',
      'splunk/TA-tenantscope/metadata/default.meta',
    ],
  },
  {
    product: 'Benthos, Redpanda Connect',
    page: 'benthos.md',
    reads: 'api',
    checked: 'run',
    delivery: 'at least once',
    files: ['benthos/detections.yaml', 'benthos/logs.yaml'],
  },
  {
    product: 'dlt',
    page: 'dlt.md',
    reads: 'api',
    checked: 'run',
    delivery: 'exactly once',
    files: ['dlt/tenantscope_source.py'],
  },
  {
    product: 'Airbyte',
    page: 'airbyte.md',
    reads: 'api',
    checked: 'run',
    delivery: 'at least once',
    files: ['airbyte/manifest.yaml'],
  },
  {
    product: 'syslog-ng',
    page: 'syslog-ng.md',
    reads: 'tail',
    checked: 'run',
    delivery: 'at least once',
    files: ['syslog-ng/tenantscope.conf'],
  },
  {
    product: 'Microsoft Sentinel',
    page: 'sentinel.md',
    ...fromApi,
    delivery: 'not defined by the product',
    files: ['sentinel/asim-audit-event.kql', 'sentinel/template.json'],
  },
  {
    product: 'Elastic',
    page: 'elastic.md',
    ...fromApi,
    checked: 'run',
    files: [
      'filebeat-cel.yml',
      'filebeat-httpjson.yml',
      'index-template.json',
      'ingest-pipeline.json',
      'sample-documents.ndjson',
      'sample-logs.json',
    ].map((file) => `elastic/${file}`),
  },
  {
    product: 'Google SecOps',
    page: 'google-secops.md',
    ...fromFiles,
    files: ['google-secops/parser.conf'],
  },
  { product: 'Cribl Stream', page: 'cribl.md', ...fromApi, files: ['cribl/breaker.json', 'cribl/collector.json'] },
  {
    product: 'IBM QRadar',
    page: 'qradar.md',
    ...fromApi,
    delivery: 'not defined by the product',
    files: ['qradar/parameter-values.xml', 'qradar/workflow.xml'],
  },
  {
    product: 'OpenTelemetry collector',
    page: 'opentelemetry.md',
    ...fromFiles,
    checked: 'run',
    delivery: 'not defined by the product',
    files: ['opentelemetry/collector.yaml'],
  },
  { product: 'Vector', page: 'vector.md', ...fromFiles, files: ['vector/vector.yaml'] },
  { product: 'Fluent Bit', page: 'fluent-bit.md', ...fromFiles, files: ['fluent-bit/fluent-bit.yaml'] },
  { product: 'Logstash', page: 'logstash.md', ...fromFiles, files: ['logstash/tenantscope.conf'] },
  { product: 'Datadog', page: 'datadog.md', ...fromFiles, files: ['datadog/conf.yaml', 'datadog/pipeline.json'] },
  { product: 'Sumo Logic', page: 'sumo-logic.md', ...fromFiles, files: ['sumo-logic/sources.json'] },
  { product: 'Wazuh', page: 'wazuh.md', ...fromFiles, files: ['wazuh/ossec.conf', 'wazuh/rules.xml'] },
  { product: 'Panther', page: 'panther.md', ...fromFiles, files: ['panther/schema.yml', 'panther/vector.yaml'] },
  { product: 'Tines', page: 'tines.md', ...fromApi, files: ['tines/story.json'] },
  { product: 'n8n', page: 'n8n.md', ...fromApi, checked: 'run', files: ['n8n/workflow.json'] },
];
