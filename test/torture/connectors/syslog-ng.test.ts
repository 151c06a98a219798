import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractPackages } from '@tenantscope/local';
import { productBundle } from '../../installation/processes.ts';
import { substitute } from '../shippers/page-blocks.ts';
import { connectorFile, readDeliveredLines } from './configuration-files.ts';
import { detectionCount } from './connector-fixture.ts';
import { type Connector, describeConnectors } from './describe-connector.ts';

/** Both processes run until they are killed together. */
const script = `
"$NODE" "$CLI" tail $LIST --state "$POSITION" --interval 1 >> "$ROWS" &
export LD_LIBRARY_PATH="$FILES/usr/lib/syslog-ng:$FILES/usr/lib/$SYSTEM:$FILES/lib/$SYSTEM"
"$FILES/usr/sbin/syslog-ng" --foreground --no-caps --module-path="$FILES/usr/lib/syslog-ng/3.38" --cfgfile="$CONFIG" \\
  --persist-file="$PERSIST" --control="$CONTROL" --pidfile="$PID" &
wait`;

const syslogNg = (list: Connector['list']): Connector => ({
  name: 'syslog-ng',
  list,
  delivery: 'at least once',
  repeatedByKill: list === 'logs' ? 1_000 : detectionCount,
  waitsForRetryAfter: true,
  readsOnce: false,
  // Its installation would remove rsyslog.
  prepare: () =>
    extractPackages(
      'syslog-ng',
      ['syslog-ng-core', 'libivykis0', 'libnet1', 'libpcre3', 'libwrap0'],
      'syslog-ng not found. It is extracted from the packages of Debian.',
    ),
  async configure(files, { url, key, directory }) {
    const file = (name: string) => join(directory, name);
    await mkdir(file('siem'));
    const configuration = substitute(await readFile(connectorFile('syslog-ng', 'tenantscope.conf'), 'utf8'), {
      '/var/log/tenantscope/logs.ndjson': file('rows.ndjson'),
      '/var/log/siem/tenantscope.ndjson': file('siem/rows.ndjson'),
    });
    await writeFile(file('syslog-ng.conf'), configuration);
    await writeFile(file('rows.ndjson'), '');
    return {
      command: ['sh', '-c', script],
      environment: {
        ...{
          NODE: process.execPath,
          CLI: (await productBundle()).program('cli'),
          LIST: list === 'logs' ? list : 'detections --filter includeInfoTier=true',
          FILES: files,
        },
        ...{ TENANTSCOPE_URL: url, TENANTSCOPE_KEY: key, POSITION: file('position'), ROWS: file('rows.ndjson') },
        SYSTEM: process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu',
        ...{ CONFIG: file('syslog-ng.conf'), PERSIST: file('persist'), CONTROL: file('control'), PID: file('pid') },
      },
    };
  },
  readDelivered: (_, { directory }) => readDeliveredLines(join(directory, 'siem', 'rows.ndjson')),
});

describeConnectors('syslog-ng and tenantscope tail with the configuration of their page', [
  syslogNg('logs'),
  syslogNg('detections'),
]);
