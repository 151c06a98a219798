import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '@tenantscope/local';
import { afterAll, inject } from 'vitest';
import { createDatabaseOn, type TestDatabase } from '../../services/database.ts';
import { fetchPackages } from '../npm-packages.ts';
import { connectorFile } from './configuration-files.ts';
import { detectionCount } from './connector-fixture.ts';
import { type Connector, type Delivered, describeConnectors, type Run } from './describe-connector.ts';

const execute = promisify(execFile);

/** Later versions name a dependency that npm does not have. */
const version = '2.40.7';
const credential = { id: 'tenantscopeKey', name: 'Tenantscope' };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

interface Step {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly id: string;
  readonly nodes: readonly Step[];
}

/** The user's step sends each row to the receiver; the workflow runs every ten seconds, so that the test takes minutes. */
const replaceSteps = (workflow: Workflow, url: string, receiverUrl: string): Workflow => ({
  ...workflow,
  nodes: workflow.nodes.map((step) => {
    switch (step.name) {
      case 'Every minute':
        return { ...step, parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 10 }] } } };
      case 'Read detections':
        return {
          ...step,
          parameters: { ...step.parameters, url: `${url}/detections` },
          credentials: { httpHeaderAuth: credential },
        };
      case 'Replace this by your step':
        return {
          ...step,
          type: 'n8n-nodes-base.httpRequest',
          typeVersion: 4.2,
          parameters: {
            ...{ method: 'POST', url: receiverUrl, sendBody: true },
            ...{ specifyBody: 'json', jsonBody: '={{ JSON.stringify($json) }}' },
          },
        };
      default:
        return step;
    }
  }),
});

const received: Delivered[] = [];

/** Takes the rows that the user's step sends. */
async function startReceiver(): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    received.push(JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as Delivered);
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function describeEnvironment({ superuser }: TestDatabase, directory: string) {
  const { hostname, port, username, password, pathname } = new URL(superuser);
  return {
    N8N_USER_FOLDER: directory,
    DB_TYPE: 'postgresdb',
    ...{ DB_POSTGRESDB_HOST: hostname, DB_POSTGRESDB_PORT: port, DB_POSTGRESDB_DATABASE: pathname.slice(1) },
    ...{ DB_POSTGRESDB_USER: decodeURIComponent(username), DB_POSTGRESDB_PASSWORD: decodeURIComponent(password) },
    ...{ N8N_PORT: String(await findFreePort()), N8N_RUNNERS_BROKER_PORT: String(await findFreePort()) },
    ...{
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    },
    ...{ N8N_TEMPLATES_ENABLED: 'false', N8N_ENCRYPTION_KEY: 'of the test, not a secret' },
  };
}

/** Imports the credential and the workflow as its page describes, with the command line instead of the editor. */
async function importWorkflow(program: string, environment: Record<string, string>, { url, key, directory }: Run) {
  const file = (name: string) => join(directory, name);
  const data = { name: 'Authorization', value: `Bearer ${key}` };
  await writeFile(file('credentials.json'), JSON.stringify([{ ...credential, type: 'httpHeaderAuth', data }]));
  const workflow = JSON.parse(await readFile(connectorFile('n8n', 'workflow.json'), 'utf8')) as Workflow;
  await writeFile(file('workflow.json'), JSON.stringify(replaceSteps(workflow, url, await startReceiver())));
  const env = { PATH: process.env.PATH, HOME: directory, ...environment };
  for (const command of [
    ['import:credentials', '--input', file('credentials.json')],
    ['import:workflow', '--input', file('workflow.json')],
    ['publish:workflow', '--id', workflow.id],
  ])
    await execute(process.execPath, [program, ...command], { env });
}

const n8n: Connector = {
  name: 'n8n',
  list: 'detections',
  delivery: 'at least once',
  repeatedByKill: detectionCount,
  // It waits 5 s, and not longer if the header asks for more.
  waitsForRetryAfter: null,
  readsOnce: false,
  prepare: async () => join(await fetchPackages(`n8n-${version}`, [`n8n@${version}`]), 'n8n', 'bin', 'n8n'),
  async configure(program, run) {
    const database = stack.use(await createDatabaseOn(inject('services').postgres));
    const environment = await describeEnvironment(database, run.directory);
    await importWorkflow(program, environment, run);
    return { command: [process.execPath, program, 'start'], environment };
  },
  readDelivered: async () => received,
};

describeConnectors('n8n with the workflow of its page', [n8n]);
