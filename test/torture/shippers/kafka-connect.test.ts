import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout, fetchKafkaConnectJars, fetchKafkaJars, findFreePort, findJava } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../random.ts';
import { readPageBlock, substitute } from './page-blocks.ts';
import {
  firstAndLaterRecords,
  firstRecords,
  formatFirst,
  formatLater,
  type RecordFile,
  recordFiles,
} from './shipped-records.ts';
import { type BoundTopic, type ShipperFixture, startShipperFixture } from './shipper-fixture.ts';
import { type ShipperProcess, startShipper } from './shipper-process.ts';

const page = 'kafka-connect.md';
/** The connectors of the page, and the value that each writes for a line. */
const connectors: Readonly<Record<string, (line: string) => string>> = {
  'connector-string': (line) => line,
  'connector-json': (line) => JSON.stringify({ schema: { type: 'string', optional: false }, payload: line }),
  'connector-json-schemaless': (line) => JSON.stringify(line),
  'connector-json-struct': (line) =>
    JSON.stringify({
      schema: { type: 'struct', fields: [{ type: 'string', optional: false, field: 'message' }], optional: false },
      payload: { message: line },
    }),
};
const startMs = 300_000;
const testMs = 300_000;

/** One connector of the page with one file. */
interface Shipment {
  readonly connector: string;
  readonly file: RecordFile;
  readonly path: string;
  readonly bound: BoundTopic;
}

describe.runIf(isLong)('Kafka Connect with the configuration of its page', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let directory: string;
  let fixture: ShipperFixture;
  let shipments: Shipment[];
  let command: readonly string[];
  let worker: ShipperProcess;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantscope-connect-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    fixture = await startShipperFixture(stack);
    shipments = [];
    for (const file of recordFiles) {
      for (const connector of Object.keys(connectors)) {
        const path = join(directory, `${file.format}.${connector}.ndjson`);
        shipments.push({ connector, file, path, bound: await fixture.bind(file.format) });
      }
    }
    command = await writeConfiguration();
    for (const { path, file } of shipments) await writeFile(path, formatFirst(file));
    worker = startShipper(command, { directory });
    stack.defer(() => worker[Symbol.asyncDispose]());
  }, startMs);
  afterAll(() => stack.disposeAsync());

  /** Writes the files of the page and returns the command of the worker that runs all connectors. */
  async function writeConfiguration(): Promise<string[]> {
    const jars = await fetchKafkaConnectJars();
    const workerFile = join(directory, 'worker.properties');
    const settings = substitute(await readPageBlock(page, 'worker'), {
      'kafka.example.com:9092': fixture.brokers,
      '/opt/kafka/libs': jars,
      '/var/lib/kafka-connect/offsets': join(directory, 'offsets'),
      '127.0.0.1:8083': `127.0.0.1:${await findFreePort()}`,
    });
    await writeFile(workerFile, settings);
    const files = [workerFile];
    for (const { connector, path, bound } of shipments) {
      const file = `${path}.properties`;
      const replaced = {
        'name=okta': `name=${bound.topic}`,
        '/var/log/okta/events.ndjson': path,
        'okta.connect': bound.topic,
      };
      await writeFile(file, substitute(await readPageBlock(page, connector), replaced));
      files.push(file);
    }
    const logging = `-Dlog4j2.configurationFile=${join(checkout, 'infra', 'local', 'kafka', 'log4j2.properties')}`;
    const options = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', logging];
    return [
      await findJava(),
      ...options,
      '-cp',
      `${jars}/*`,
      'org.apache.kafka.connect.cli.ConnectStandalone',
      ...files,
    ];
  }

  async function expectRows(select: (file: RecordFile) => readonly string[]): Promise<void> {
    for (const { bound, file, connector } of shipments) {
      await fixture.expectRowsOf(bound, select(file)).catch((cause) => {
        throw new Error(`${connector} of ${file.format}: ${String(cause)}\n${worker.output()}`, { cause });
      });
    }
  }

  test('the worker has the version of the broker', async () => {
    const versions = async (jars: string, name: RegExp) =>
      (await readdir(jars)).flatMap((jar) => name.exec(jar)?.slice(1, 2) ?? []);
    const broker = await versions(await fetchKafkaJars(), /^kafka_2\.13-(.+)\.jar$/);
    expect(broker).toHaveLength(1);
    const parts = /^connect-(?:runtime|json|file)-(.+)\.jar$/;
    expect(await versions(await fetchKafkaConnectJars(), parts)).toEqual(Array(3).fill(broker[0]));
  });

  test('each converter gives the rows, ids and raw texts of the bare records', () => expectRows(firstRecords), testMs);

  test('a line that is no JSON is one dead letter, with the value that the converter wrote', async () => {
    for (const { bound, file, connector } of shipments) {
      const deadLetters = await fixture.deadLetters(bound);
      expect(deadLetters, connector).toMatchObject([{ tenantId: bound.tenantId, state: 'pending' }]);
      const value = deadLetters[0]?.value?.toString() ?? '';
      expect(connectors[connector]?.(file.brokenLine), connector).toEqual(value);
    }
  });

  test(
    'a worker that was killed and lost its offsets repeats records, which become no rows',
    async () => {
      await worker.kill();
      await rm(join(directory, 'offsets'), { force: true });
      for (const { path, file } of shipments) await appendFile(path, formatLater(file));
      worker = startShipper(command, { directory });
      await expectRows(firstAndLaterRecords);
      // The line that is no JSON is repeated too.
      for (const { bound, file, connector } of shipments)
        for (const { value } of await fixture.deadLetters(bound))
          expect(value?.toString(), connector).toBe(connectors[connector]?.(file.brokenLine));
    },
    testMs,
  );
});
