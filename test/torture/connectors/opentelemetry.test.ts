import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productBundle } from '../../installation/processes.ts';
import { connectorFile } from './configuration-files.ts';
import { detectionCount } from './connector-fixture.ts';
import { buildConnector } from './connector-program.ts';
import { type Connector, type Delivered, describeConnectors } from './describe-connector.ts';

/** Both processes run until they are killed together. */
const script = `
"$NODE" "$CLI" tail $LIST --state "$POSITION" --interval 1 >> "$TENANTSCOPE_ROWS" &
"$COLLECTOR" --config "$CONFIG" --feature-gates=stanza.synchronousLogEmitter &
wait`;

const collector = (list: Connector['list']): Connector => ({
  name: 'OpenTelemetry collector',
  list,
  delivery: 'at least once',
  repeatedByKill: list === 'logs' ? 1_000 : detectionCount,
  waitsForRetryAfter: true,
  readsOnce: false,
  prepare: () => buildConnector('opentelemetry'),
  async configure(program, { url, key, directory }) {
    const file = (name: string) => join(directory, name);
    await mkdir(file('siem'));
    await writeFile(file('rows.ndjson'), '');
    return {
      command: ['sh', '-c', script],
      environment: {
        ...{ NODE: process.execPath, CLI: (await productBundle()).program('cli'), COLLECTOR: program },
        LIST: list === 'logs' ? list : 'detections --filter includeInfoTier=true',
        CONFIG: connectorFile('opentelemetry', 'collector.yaml'),
        ...{ TENANTSCOPE_URL: url, TENANTSCOPE_KEY: key, POSITION: file('position') },
        ...{ TENANTSCOPE_ROWS: file('rows.ndjson'), TENANTSCOPE_POSITIONS: file('positions') },
        TENANTSCOPE_OUTPUT: file('siem/rows.json'),
      },
    };
  },
  readDelivered: (_, { directory }) => readExportedRows(join(directory, 'siem', 'rows.json')),
});

interface Exported {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly { readonly body: { readonly stringValue: string } }[];
    }[];
  }[];
}

/** The file exporter writes a line for each batch; the body of a record is the row. */
async function readExportedRows(file: string): Promise<readonly Delivered[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as Exported).resourceLogs)
    .flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    .map(({ body }) => JSON.parse(body.stringValue) as Delivered);
}

describeConnectors('OpenTelemetry collector and tenantscope tail with the configuration of their page', [
  collector('logs'),
  collector('detections'),
]);
