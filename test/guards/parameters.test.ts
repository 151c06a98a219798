import { reportTemplates } from '@tenantscope/compliance';
import {
  buildOpenApi,
  describeParameter,
  errors,
  findExampleId,
  getDetection,
  limitMax,
  type Operation,
  operations,
  type Parameter,
} from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { gets, lists } from './list-mapping.ts';

let product: ControlledInstallation;
let reader: Reader;
let neighbour: Reader;

beforeAll(async () => {
  product = await startControlledInstallation();
  reader = product.reader(await product.createTenant());
  neighbour = product.reader(await product.createTenant());
  // The examples of a list and of a report are about this record of the demo data.
  const times = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
  const document = JSON.stringify({ openedAt: times[0], lastSeenAt: times[1], entity: null });
  await product.superuser.query(
    `insert into models.detection (tenant_id, id, version, digest, updated_at, opened_at, status, severity, kind, detector_id, document)
     values ($1, $2, 1, '', $3, $3, 'open', 'low', 'anomaly', 'volume', $4)`,
    [reader.tenantId, getDetection.exampleId, times[0], document],
  );
});
afterAll(() => product?.[Symbol.asyncDispose]());

const named = <One extends Operation>(some: readonly One[]) => some.map((one) => [one.name, one] as const);
const pathOf = (operation: Operation) => operation.path.replace('{id}', findExampleId(operation) ?? '');
/** A report accepts the parameters of its template. */
const pathTaking = (operation: Operation, parameter: string) => {
  const template = reportTemplates.find(({ parameters }) => parameters.some(({ name }) => name === parameter));
  return operation.name === 'get_report' ? operation.path.replace('{id}', template?.id ?? '') : pathOf(operation);
};
const allowedOf = (parameter: Parameter) => ('allowed' in parameter ? parameter.allowed : []);

test('the API serves the OpenAPI document with its own address', async () => {
  const served = await createApiClient(product.baseUrl, null).get('/openapi.json');
  expect(served.status).toBe(200);
  expect(served.body).toEqual(JSON.parse(JSON.stringify(buildOpenApi(operations, product.baseUrl))));
});

test.each(named(operations))('every example of %s succeeds', async (_, operation) => {
  for (const { description, input } of operation.examples) {
    const path = pathOf(operation);
    const response = await reader.get(path, input as Record<string, string>);
    expect(response.status, `${description}: ${response.text}`).toBe(200);
  }
});

test.each(named(operations))(
  'every parameter of %s has a description, a valid example and its allowed values',
  async (_, operation) => {
    for (const [name, parameter] of Object.entries<Parameter>(operation.parameters)) {
      const description = describeParameter(parameter);
      expect(description, name).toMatch(/^[A-Z].+\. .+ Example: \S/);
      for (const value of allowedOf(parameter)) expect(description, name).toContain(value);
      for (const value of [parameter.example, ...allowedOf(parameter)]) {
        const response = await reader.get(pathTaking(operation, name), { [name]: value });
        expect(response.status, `${name}=${value}: ${response.text}`).toBe(200);
      }
    }
  },
);

test.each(named(operations))('the descriptions of %s stay within their size limits', (_, operation) => {
  const parameters = Object.values<Parameter>(operation.parameters).map(describeParameter);
  expect(operation.summary.length).toBeLessThanOrEqual(60);
  expect(operation.description.length).toBeLessThanOrEqual(1_200);
  expect(parameters.filter((description) => description.length > 400)).toEqual([]);
});

// 339,981 before /feeds, /logs/receipts, /detections/{id}/logs, the view of rows and NDJSON; 361,340 with them; 369,057 with /logs/summary.
test('the OpenAPI document stays small, and so do the rows of other schemas in it', () => {
  const document = buildOpenApi(operations, 'https://tenantscope.example.test/api/v1');
  const size = (of: unknown) => JSON.stringify(of).length;
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  const ofViews = Object.entries(schemas).filter(([name]) => /^(Ocsf|Ecs)|Row$/.test(name));
  const views = ofViews.reduce((sum, [, schema]) => sum + size(schema), 0);
  expect(ofViews).toHaveLength(5);
  expect(views).toBeLessThan(4_000);
  expect(size(document) - views).toBeLessThan(372_000);
});

/** An error names the parameter and the allowed values. */
async function expectRejected(operation: Operation, parameters: Record<string, string>, name: string): Promise<void> {
  const response = await reader.get(operation.path.replace('{id}', 'x'), parameters);
  const label = `${operation.path} ${JSON.stringify(parameters)} ${response.text}`;
  expect(response, label).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
  expect(response.body.error.details, label).toContainEqual(expect.objectContaining({ parameter: name }));
}

test.each(named(operations))('%s rejects an unknown parameter and names the allowed ones', async (_, operation) => {
  await expectRejected(operation, { nonsense: '1' }, 'nonsense');
  const response = await reader.get(operation.path.replace('{id}', 'x'), { nonsense: '' });
  expect(response.body.error.details[0].allowed).toEqual(Object.keys(operation.parameters));
});

test.each(named(lists))('%s accepts a limit from 1 to 1000 and no other', async (_, list) => {
  for (const limit of ['1', String(limitMax)])
    expect((await reader.get(list.path, { limit })).body.pagination.limit).toBe(Number(limit));
  for (const limit of ['0', String(limitMax + 1), '-1', '1.5', '1e2', 'all', ' 5', '٣'])
    await expectRejected(list, { limit }, 'limit');
});

test.each(named(lists))(
  '%s rejects values outside a closed vocabulary and matches nothing for unknown values of an open one',
  async (_, list) => {
    for (const [name, parameter] of Object.entries<Parameter>(list.parameters)) {
      switch (parameter.kind) {
        case 'choices':
          for (const value of [
            'sideways',
            `${parameter.allowed[0]},sideways`,
            parameter.allowed[0]?.toUpperCase() ?? '',
          ])
            await expectRejected(list, { [name]: value }, name);
          break;
        case 'flag':
          for (const value of ['yes', '1', 'TRUE', 'true,false']) await expectRejected(list, { [name]: value }, name);
          break;
        case 'sort':
          for (const value of ['sideways', `${parameter.allowed[0]},${parameter.allowed[0]}`])
            await expectRejected(list, { [name]: value }, name);
          break;
        case 'instant':
          for (const value of ['yesterday', '2026-13-01', '2026-11-01T25:00:00Z'])
            await expectRejected(list, { [name]: value }, name);
          break;
        case 'texts': {
          const response = await reader.get(list.path, { [name]: "no row has this, ' or 1=1 --,ünknown,\\" });
          expect(response.status, response.text).toBe(200);
          expect(response.body.data).toEqual([]);
        }
      }
    }
  },
);

/** PostgreSQL has no year zero; clients send the first instant of the year 1 in a zone east of UTC for an open beginning. */
const earliestTimes = ['0000-01-01', '0000-06-01T12:00:00Z', '0001-01-01T00:00:00+01:00', '0001-01-01'];
const takesInstants = named(operations).filter(([, { parameters }]) =>
  Object.values<Parameter>(parameters).some(({ kind }) => kind === 'instant'),
);

test.each(takesInstants)('%s reads the earliest times as the beginning of the year 1', async (_, operation) => {
  const instants = Object.entries<Parameter>(operation.parameters).filter(([, { kind }]) => kind === 'instant');
  for (const [name] of instants) {
    const path = pathTaking(operation, name);
    const texts = await Promise.all(
      earliestTimes.map(async (time) => {
        const { status, body, text } = await reader.get(path, { [name]: time });
        expect(status, `${path} ${name}=${time}: ${text}`).toBeLessThan(500);
        return JSON.stringify(body.error?.message ?? body.pagination?.window ?? status);
      }),
    );
    expect(new Set(texts).size, `${name}: ${texts.join(' ')}`).toBe(1);
  }
});

test.each(named(lists))('%s has pages of every order in windows of the earliest times', async (_, list) => {
  const filters = list.filters.severity ? [{}, { severity: 'high' }] : [{}];
  for (const sort of list.sorts)
    for (const { from, to } of Object.values(list.windows))
      for (const given of filters)
        for (const window of [{ [from]: '0000-01-01' }, { [to]: '0000-01-01' }]) {
          const response = await reader.get(list.path, { sort, ...given, ...window });
          expect(response.status, `${JSON.stringify({ sort, ...given, ...window })}: ${response.text}`).toBe(200);
        }
});

test.each(named(lists))('%s rejects a window that ends before it starts', async (_, list) => {
  for (const { from, to } of Object.values(list.windows))
    await expectRejected(list, { [from]: '2026-11-02T00:00:00Z', [to]: '2026-11-01T00:00:00Z' }, from);
});

const resumable = (sorts: readonly string[]) => sorts.find((sort) => sort.endsWith('Asc')) ?? '';

test.each(named(lists))('%s rejects an altered cursor and one of another list or tenant', async (_, list) => {
  const cursorOf = async (one: (typeof lists)[number], whose: Reader): Promise<string> => {
    const page = await whose.get(one.path, { sort: resumable(one.sorts) });
    return page.body.pagination.resumeCursor;
  };
  const own = await cursorOf(list, reader);
  expect((await reader.get(list.path, { cursor: own })).status).toBe(200);
  const others = lists.filter((other) => other !== list);
  const wrong = [
    ...(await Promise.all(others.map((other) => cursorOf(other, reader)))),
    await cursorOf(list, neighbour),
    own.slice(0, -1),
    `${own.slice(0, 20)}${own[20] === 'A' ? 'B' : 'A'}${own.slice(21)}`,
    'nonsense',
    '1',
  ];
  for (const cursor of wrong)
    expect(await reader.get(list.path, { cursor }), cursor).toMatchObject({ status: 400, code: 'INVALID_CURSOR' });
});

if (gets.length > 0)
  test.each(named(gets))('%s returns 404 for unknown ids of any form', async (_, get) => {
    const odd = [
      'x',
      '%00',
      "'%20or%20''='",
      '%5C',
      '%F0%9F%92%A5',
      '..%2F..%2Flogs',
      '%25',
      '%2A',
      'a'.repeat(300),
      '%E2%80%AE',
    ];
    for (const id of odd) {
      const response = await reader.get(get.path.replace('{id}', id));
      expect(response, `${id} ${response.text}`).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

test('every error of these requests is in the error table', async () => {
  const caller = createApiClient(product.baseUrl, null);
  const responses = await Promise.all([
    caller.get('/logs'),
    caller.get('/nowhere'),
    reader.get('/logs', { cursor: 'x' }),
    reader.get('/logs', { limit: '0' }),
    reader.get('/ping', {}, { accept: 'text/html' }),
    reader.get('/ping', {}, { 'X-Tenant-Id': neighbour.tenantId }),
  ]);
  const described = JSON.stringify(buildOpenApi(operations, product.baseUrl));
  for (const { status, code } of responses) {
    expect(errors[code as keyof typeof errors]?.status, code).toBe(status);
    expect(described).toContain(`\`${code}\``);
  }
});
