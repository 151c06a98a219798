import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { substitute } from '../shippers/page-blocks.ts';
import { connectorFile, readDeliveredLines } from './configuration-files.ts';
import { buildConnector } from './connector-program.ts';
import { type Connector, type Delivered, describeConnectors } from './describe-connector.ts';

/** The last version that the Go module proxy has whole; version 8 and later have the same httpjson input. */
const filebeat: Connector = {
  name: 'Filebeat',
  list: 'logs',
  delivery: 'at least once',
  repeatedByKill: 1_000,
  waitsForRetryAfter: true,
  readsOnce: false,
  prepare: () => buildConnector('filebeat', 'github.com/elastic/beats/v7/x-pack/filebeat'),
  async configure(program, { url, key, directory }) {
    const file = (name: string) => join(directory, name);
    await mkdir(file('siem'));
    const page = await readFile(connectorFile('elastic', 'filebeat-httpjson.yml'), 'utf8');
    const [input = ''] = substitute(page, { 'interval: 30s': 'interval: 1s' }).split('output.elasticsearch:');
    const output = `output.file: { path: ${file('siem')}, filename: rows, number_of_files: 100 }\n`;
    await writeFile(file('filebeat.yml'), `${input}${output}`, { mode: 0o600 });
    const paths = ['--path.home', directory, '--path.data', file('data')];
    return {
      command: [program, '-e', '-c', file('filebeat.yml'), '--strict.perms=false', ...paths],
      environment: { TENANTSCOPE_URL: url, TENANTSCOPE_KEY: key },
    };
  },
  async readDelivered(_, { directory }) {
    // It begins a file at each start: rows is the newest, then rows.1.
    const files = await readdir(join(directory, 'siem'));
    const age = (file: string) => Number(file.replace(/^rows\.?/, ''));
    const events = await Promise.all(
      files
        .sort((one, other) => age(other) - age(one))
        .map((file) => readDeliveredLines<{ readonly message: string }>(join(directory, 'siem', file))),
    );
    return events.flat().map(({ message }) => JSON.parse(message) as Delivered);
  },
};

describeConnectors('Filebeat with the configuration of its page', [filebeat]);
