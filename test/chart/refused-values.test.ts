// @module-tag helm
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayBuildPrograms } from './go-programs.ts';
import { provideHelm } from './helm.ts';
import { chart, readHelmError, renderChart, runHelm, templateArguments } from './rendered-chart.ts';
import { findSchemaErrors } from './schema-validation.ts';

// Wrong values are refused before anything is installed, with a message that names the value.

const provided = await provideHelm({ build: mayBuildPrograms });
const helm = 'missing' in provided ? '' : provided.helm;
const single = ['--values', join(chart, 'values', 'single.yaml')];

/** A cell with these changes, by path. */
function cell(changes: Readonly<Record<string, unknown>>): readonly string[] {
  const complete = {
    database: 'postgres-eu1:5432/tenantscope',
    topicPrefix: 'tenantscope.eu1',
    'ingest.files': { TENANTSCOPE_INGEST_DATABASE_URL_FILE: { secret: 'ingest-eu1' } },
    'jobs.files': { TENANTSCOPE_JOBS_DATABASE_URL_FILE: { secret: 'jobs-eu1' } },
  };
  return Object.entries({ ...complete, ...changes }).flatMap(([path, value]) => [
    '--set-json',
    `cells.eu1.${path}=${JSON.stringify(value)}`,
  ]);
}

const refused: readonly (readonly [title: string, args: readonly string[], message: RegExp])[] = [
  [
    'a number above its range',
    ['--set', 'api.env.TENANTSCOPE_READ_CONCURRENCY=5000'],
    /\/api\/env\/TENANTSCOPE_READ_CONCURRENCY.*1,?000/,
  ],
  [
    'a number below its range',
    ['--set', 'jobs.env.TENANTSCOPE_JOBS_CONCURRENCY=0'],
    /\/jobs\/env\/TENANTSCOPE_JOBS_CONCURRENCY/,
  ],
  [
    'a fraction where a whole number is declared',
    ['--set-json', 'ingest.env.TENANTSCOPE_INGEST_WORKERS=1.5'],
    /\/ingest\/env\/TENANTSCOPE_INGEST_WORKERS/,
  ],
  ['text for a number', ['--set-string', 'env.TENANTSCOPE_READ_CONCURRENCY=16'], /\/env\/TENANTSCOPE_READ_CONCURRENCY/],
  ['a value outside of an enumeration', ['--set', 'env.TENANTSCOPE_LOG_LEVEL=loud'], /\/env\/TENANTSCOPE_LOG_LEVEL/],
  ['brokers without a port', ['--set', 'env.TENANTSCOPE_KAFKA_BROKERS=kafka'], /\/env\/TENANTSCOPE_KAFKA_BROKERS/],
  ['a URL that is none', ['--set', 'env.TENANTSCOPE_PUBLIC_URL=api example'], /\/env\/TENANTSCOPE_PUBLIC_URL/],
  ['an unknown variable', ['--set', 'env.TENANTSCOPE_READ_CONCURENCY=4'], /\/env'.*TENANTSCOPE_READ_CONCURENCY/],
  [
    'a variable of another process',
    ['--set', 'api.env.TENANTSCOPE_INGEST_WORKERS=4'],
    /\/api\/env'.*TENANTSCOPE_INGEST_WORKERS/,
  ],
  ['a port, which the chart fixes', ['--set', 'api.env.TENANTSCOPE_PORT=80'], /\/api\/env'.*TENANTSCOPE_PORT/],
  [
    'a secret in plain text',
    ['--set', 'api.env.TENANTSCOPE_API_DATABASE_URL=postgres://a:b@c/d'],
    /\/api\/env'.*TENANTSCOPE_API_DATABASE_URL/,
  ],
  [
    'a secret of the release in plain text',
    ['--set', 'env.TENANTSCOPE_KAFKA_SASL_PASSWORD=a'],
    /\/env'.*TENANTSCOPE_KAFKA_SASL_PASSWORD/,
  ],
  [
    'a secret of a further cluster in plain text',
    ['--set', 'env.TENANTSCOPE_KAFKA_CLUSTER_A_SASL_PASSWORD=a'],
    /\/env'.*TENANTSCOPE_KAFKA_CLUSTER_A_SASL_PASSWORD/,
  ],
  [
    'a file that is not in a Secret',
    ['--set', 'api.files.TENANTSCOPE_SIGNING_KEY_FILE=/etc/key'],
    /\/api\/files\/TENANTSCOPE_SIGNING_KEY_FILE/,
  ],
  [
    'a file variable of another process',
    ['--set-json', 'api.files.TENANTSCOPE_JOBS_DATABASE_URL_FILE={"secret":"a"}'],
    /\/api\/files'.*TENANTSCOPE_JOBS_DATABASE_URL_FILE/,
  ],
  [
    'a reference without a Secret',
    ['--set-json', 'console.files.TENANTSCOPE_CONSOLE_SECRET_FILE={"key":"a","secret":null}'],
    /\/console\/files\/TENANTSCOPE_CONSOLE_SECRET_FILE.*secret/,
  ],
  ['the tag latest', ['--set', 'image.tag=latest'], /\/image\/tag/],
  ['a shortened digest', ['--set', 'image.digest=sha256:abc'], /\/image\/digest/],
  ['a misspelt value', ['--set', 'api.replica=3'], /\/api'.*replica/],
  ['a misspelt section', ['--set', 'networkPolicies.enabled=false'], /networkPolicies/],
  ['the user root', ['--set', 'user=0'], /\/user/],
  ['a negative number of pods', ['--set', 'ingest.replicas=-1'], /\/ingest\/replicas/],
  [
    'a cell without a database Secret',
    cell({ 'ingest.files': {} }),
    /\/cells\/eu1\/ingest\/files.*TENANTSCOPE_INGEST_DATABASE_URL_FILE/,
  ],
  [
    'a cell whose database Secret is null',
    cell({ 'jobs.files': { TENANTSCOPE_JOBS_DATABASE_URL_FILE: null } }),
    /\/cells\/eu1\/jobs\/files\/TENANTSCOPE_JOBS_DATABASE_URL_FILE.*null/,
  ],
  ['a cell without jobs', cell({ jobs: null }), /\/cells\/eu1.*jobs/],
  ['a cell without an address', cell({ database: null }), /\/cells\/eu1.*database/],
  ['an address of a cell with a login', cell({ database: 'postgres://a:b@c/d' }), /\/cells\/eu1\/database/],
  ['a cell without a topic prefix', cell({ topicPrefix: null }), /\/cells\/eu1.*topicPrefix/],
  [
    'the topic prefix of the cell default',
    cell({ topicPrefix: 'tenantscope' }),
    /cells\.eu1\.topicPrefix is that of the cell default/,
  ],
  ['a cell of the name default', ['--set', 'cells.default.database=a'], /\/cells.*default/],
  ['a name of a cell in upper case', ['--set', 'cells.EU1.database=a'], /\/cells'.*EU1/],
  [
    'another cell for a process of a cell',
    cell({ 'ingest.env': { TENANTSCOPE_CELL: 'eu2' } }),
    /\/cells\/eu1\/ingest\/env'.*TENANTSCOPE_CELL/,
  ],
  [
    'the database Secret of the cell default for a further cell',
    cell({ 'ingest.files': { TENANTSCOPE_INGEST_DATABASE_URL_FILE: { secret: 'tenantscope-ingest' } } }),
    /cells\.eu1\.ingest\.files\.TENANTSCOPE_INGEST_DATABASE_URL_FILE is that of ingest\.files.*Secret tenantscope-ingest, key/,
  ],
  ['names of cells as a variable', ['--set', 'env.TENANTSCOPE_CELLS=eu1'], /\/env'.*TENANTSCOPE_CELLS/],
  [
    'a network policy without ports as numbers',
    ['--set-json', 'networkPolicy.kafka.ports=["kafka"]'],
    /\/networkPolicy\/kafka\/ports\/0/,
  ],
];

describe.skipIf(helm === '')('the chart', () => {
  test.each(refused)('refuses %s', async (_, args, message) => {
    expect(await readHelmError(helm, templateArguments([...single, ...args]))).toMatch(message);
  });

  test.each([
    ['TENANTSCOPE_PUBLIC_URL', 'api'],
    ['TENANTSCOPE_KAFKA_BROKERS', 'ingest'],
    ['TENANTSCOPE_CONSOLE_URL', 'console'],
  ])('names the missing %s and the process that needs it', async (variable, process) => {
    const error = await readHelmError(helm, templateArguments([...single, '--set', `env.${variable}=null`]));
    expect(error).toContain(`${process} needs ${variable}: set env.${variable} or ${process}.env.${variable}`);
  });

  test('names a missing secret and the process that needs it', async () => {
    const args = ['--set', 'jobs.files.TENANTSCOPE_REDIS_URL_FILE=null'];
    const error = await readHelmError(helm, templateArguments([...single, ...args]));
    expect(error).toContain('jobs needs TENANTSCOPE_REDIS_URL_FILE: set jobs.files.TENANTSCOPE_REDIS_URL_FILE');
  });

  test('accepts on and off as YAML reads them, and numbers without an exponent', async () => {
    const values = ['--set', 'env.TENANTSCOPE_KAFKA_SSL=true,ingest.env.TENANTSCOPE_INGEST_MAX_BATCH_BYTES=33554432'];
    const objects = await renderChart(helm, [...single, ...values]);
    const ingest = objects.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tenantscope-ingest',
    );
    const variables = ingest?.spec.template.spec.containers[0].env;
    expect(variables).toContainEqual({ name: 'TENANTSCOPE_KAFKA_SSL', value: 'on' });
    expect(variables).toContainEqual({ name: 'TENANTSCOPE_INGEST_MAX_BATCH_BYTES', value: '33554432' });
  });

  test('renders text with quotes and line breaks unchanged', async () => {
    const keys = JSON.stringify({ keys: [{ kty: 'OKP', x: 'a"b\'c: {}\n<&>' }] }, null, 2);
    const objects = await renderChart(helm, [
      ...single,
      '--set-json',
      `api.env.TENANTSCOPE_RETIRED_KEYS=${JSON.stringify(keys)}`,
    ]);
    const api = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tenantscope-api');
    expect(api?.spec.template.spec.containers[0].env).toContainEqual({ name: 'TENANTSCOPE_RETIRED_KEYS', value: keys });
  });

  test('renders the same objects for the same values', async () => {
    const args = templateArguments(single);
    expect(await runHelm(helm, args)).toBe(await runHelm(helm, args));
  });

  test('the validator finds a misspelt member', { timeout: 400_000 }, async (context) => {
    const [api, ...others] = await renderChart(helm, [...single, '--show-only', 'templates/services.yaml']);
    if (api === undefined) throw new Error('no Service');
    const found = await findSchemaErrors([{ ...api, spec: { ...api.spec, targetPorts: 1 } }, ...others]);
    if ('missing' in found) return context.skip(found.missing);
    expect(found.found.join()).toContain('targetPorts');
  });
});
