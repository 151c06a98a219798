import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectorFile, readDeliveredLines } from './configuration-files.ts';
import { detectionCount } from './connector-fixture.ts';
import { buildConnector } from './connector-program.ts';
import { type Connector, describeConnectors } from './describe-connector.ts';

const benthos = (list: Connector['list']): Connector => ({
  name: 'Benthos',
  list,
  delivery: 'at least once',
  repeatedByKill: list === 'logs' ? 1_000 : detectionCount,
  waitsForRetryAfter: false,
  readsOnce: false,
  prepare: () => buildConnector('benthos'),
  async configure(program, { url, key, directory }) {
    await mkdir(join(directory, 'positions'));
    return {
      command: [program, '-c', connectorFile('benthos', `${list}.yaml`)],
      environment: {
        TENANTSCOPE_URL: url,
        TENANTSCOPE_KEY: key,
        TENANTSCOPE_OUTPUT: join(directory, 'rows.ndjson'),
        TENANTSCOPE_POSITIONS: join(directory, 'positions'),
      },
    };
  },
  readDelivered: (_, { directory }) => readDeliveredLines(join(directory, 'rows.ndjson')),
});

describeConnectors('Benthos with the configuration of its page', [benthos('logs'), benthos('detections')]);
