import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { preparePython } from '../../mcp/python-environment.ts';
import { connectorFile, readDeliveredLines } from './configuration-files.ts';
import { type Connector, describeConnectors } from './describe-connector.ts';

/** A message of Airbyte's protocol. */
interface Message {
  readonly type: string;
  readonly record?: { readonly data: object };
  readonly state?: object;
}

const airbyte = (list: Connector['list']): Connector => ({
  name: 'Airbyte',
  list,
  delivery: 'at least once',
  // The slice of a day is read again. Slices are read two at once, and each obeys Retry-After for itself: here is only one.
  repeatedByKill: Number.POSITIVE_INFINITY,
  waitsForRetryAfter: true,
  readsOnce: true,
  async prepare() {
    const prepared = await preparePython('airbyte');
    if ('missing' in prepared) throw new Error(prepared.missing);
    return prepared.python;
  },
  async configure(python, { url, key, directory }) {
    const file = (name: string) => join(directory, name);
    const start = new Date(Date.now() - 7_200_000).toISOString();
    await writeFile(file('config.json'), JSON.stringify({ url, key, start }));
    await writeFile(file('state.json'), '[]');
    const stream = { name: list, json_schema: {}, supported_sync_modes: ['full_refresh', 'incremental'] };
    const configured = { stream, sync_mode: 'incremental', destination_sync_mode: 'append' };
    await writeFile(file('catalog.json'), JSON.stringify({ streams: [configured] }));
    const files = ['--config', file('config.json'), '--catalog', file('catalog.json'), '--state', file('state.json')];
    const source = join(python, '..', 'source-declarative-manifest');
    return {
      // Its own first line names another folder: the environment was moved when it was complete.
      command: [python, source, 'read', ...files, '--manifest-path', connectorFile('airbyte', 'manifest.yaml')],
      environment: {},
      // What Airbyte does with the messages: it stores a state after the rows before it.
      onLine(line) {
        const { type, record, state } = readMessage(line);
        if (type === 'RECORD') appendFileSync(file('rows.ndjson'), `${JSON.stringify(record?.data)}\n`);
        if (type !== 'STATE') return;
        writeFileSync(file('state.next'), JSON.stringify([state]));
        renameSync(file('state.next'), file('state.json'));
      },
    };
  },
  readDelivered: (_, { directory }) => readDeliveredLines(join(directory, 'rows.ndjson')),
});

/** A line that a kill truncated is no message. */
function readMessage(line: string): Message {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return { type: '' };
  }
}

describeConnectors('Airbyte with the manifest of its page', [airbyte('logs'), airbyte('detections')]);
