import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { preparePython } from '../../mcp/python-environment.ts';
import { connectorFile } from './configuration-files.ts';
import { type Connector, type Delivered, describeConnectors } from './describe-connector.ts';

/** Reads the table that the pipeline fills. */
const readTable = `
import duckdb, json, os, sys
if not os.path.exists(sys.argv[1]): print('[]'); sys.exit()
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    found = connection.execute("select 1 from information_schema.tables where table_schema = 'security_data' and table_name = ?", [sys.argv[2]]).fetchall()
    columns = 'id, version' if sys.argv[2] == 'detections' else 'id'
    rows = connection.execute(f'select {columns} from security_data.{sys.argv[2]}').fetchall() if found else []
print(json.dumps([dict(zip(columns.split(', '), row)) for row in rows]))`;

const dlt = (list: Connector['list']): Connector => ({
  name: 'dlt',
  list,
  delivery: 'exactly once',
  repeatedByKill: 0,
  waitsForRetryAfter: true,
  readsOnce: true,
  async prepare() {
    const prepared = await preparePython('dlt');
    if ('missing' in prepared) throw new Error(prepared.missing);
    return prepared.python;
  },
  configure: async (python, { url, key, directory }) => ({
    command: [python, connectorFile('dlt', 'tenantscope_source.py')],
    environment: {
      TENANTSCOPE_URL: url,
      TENANTSCOPE_KEY: key,
      DLT_DATA_DIR: join(directory, 'dlt'),
      RUNTIME__DLTHUB_TELEMETRY: 'false',
    },
  }),
  async readDelivered(python, { directory }) {
    const args = ['-c', readTable, join(directory, 'tenantscope.duckdb'), list];
    const { stdout } = await promisify(execFile)(python, args, { maxBuffer: 1 << 27 });
    return JSON.parse(stdout) as Delivered[];
  },
});

describeConnectors('dlt with the source of its page', [dlt('logs'), dlt('detections')]);
