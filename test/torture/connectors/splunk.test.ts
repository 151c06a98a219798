import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preparePython } from '../../mcp/python-environment.ts';
import { isLong } from '../random.ts';
import { connectorFile, readDeliveredLines } from './configuration-files.ts';
import { detectionCount } from './connector-fixture.ts';
import { type Connector, describeConnectors } from './describe-connector.ts';

const sessionKey = 'session-of-the-test';
const keys = new Map<string, string>();

/** The one endpoint of splunkd that the input calls: it returns a stored credential. */
const splunkd = createServer((request, response) => {
  const name = /storage\/passwords\/tenantscope%3A(.+)%3A\?/.exec(request.url ?? '')?.[1] ?? '';
  const key = request.headers.authorization === `Splunk ${sessionKey}` ? keys.get(name) : undefined;
  response.writeHead(key === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ entry: [{ content: { clear_password: key } }] }));
});
let splunkdUrl: string;

beforeAll(async () => {
  await once(splunkd.listen(0, '127.0.0.1'), 'listening');
  splunkdUrl = `http://127.0.0.1:${(splunkd.address() as AddressInfo).port}`;
});
afterAll(async () => {
  splunkd.closeAllConnections();
  splunkd.close();
});

async function prepare(): Promise<string> {
  const prepared = await preparePython('splunk');
  if ('missing' in prepared) throw new Error(prepared.missing);
  return prepared.python;
}

const splunk = (list: Connector['list']): Connector => ({
  name: 'Splunk',
  list,
  delivery: 'at least once',
  repeatedByKill: list === 'logs' ? 1_000 : detectionCount,
  waitsForRetryAfter: true,
  readsOnce: false,
  prepare,
  async configure(python, { url, key, directory }) {
    keys.set(list, key);
    await mkdir(join(directory, 'checkpoints'));
    const parameters = Object.entries({ url, list, credential: list }).map(
      ([name, value]) => `<param name="${name}">${value}</param>`,
    );
    await writeFile(
      join(directory, 'input.xml'),
      `<input><server_host>test</server_host><server_uri>${splunkdUrl}</server_uri><session_key>${sessionKey}</session_key>
      <checkpoint_dir>${directory}/checkpoints</checkpoint_dir>
      <configuration><stanza name="tenantscope://${list}">${parameters.join('')}</stanza></configuration></input>`,
    );
    const input = connectorFile('splunk', 'TA-tenantscope', 'bin', 'tenantscope.py');
    return {
      command: ['sh', '-c', `exec "${python}" "${input}" < input.xml`],
      environment: { PYTHONDONTWRITEBYTECODE: '1' },
      // What splunkd does: each event is indexed when it is read.
      onLine(line) {
        const data = /^<event .*<data>(.*)<\/data><\/event>$/.exec(line)?.[1];
        if (data === undefined) return;
        const text = data.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
        appendFileSync(join(directory, 'rows.ndjson'), `${text}\n`);
      },
    };
  },
  readDelivered: (_, { directory }) => readDeliveredLines(join(directory, 'rows.ndjson')),
});

describeConnectors('The Splunk add-on', [splunk('logs'), splunk('detections')]);

test.runIf(isLong)(
  'AppInspect finds no error and no failure in the package of the page',
  { tags: ['torture'], timeout: 600_000 },
  async () => {
    const python = await prepare();
    const program = join(python, '..', 'splunk-appinspect');
    const directory = await mkdtemp(join(tmpdir(), 'tenantscope-appinspect-'));
    try {
      const file = join(directory, 'TA-tenantscope.tgz');
      const folder = connectorFile('splunk');
      const run = promisify(execFile);
      await run('tar', [
        '--create',
        '--gzip',
        '--file',
        file,
        '--exclude',
        '__pycache__',
        '--directory',
        folder,
        'TA-tenantscope',
      ]);
      const report = join(directory, 'report.json');
      const args = ['inspect', file, '--mode', 'precert', '--data-format', 'json', '--output-file', report];
      await run(python, [program, ...args], { cwd: directory, maxBuffer: 1 << 26 }).catch(() => {});
      const { summary } = JSON.parse(await readFile(report, 'utf8'));
      expect(summary).toMatchObject({ error: 0, failure: 0, future_failure: 0 });
      expect(summary.success).toBeGreaterThan(50);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);
