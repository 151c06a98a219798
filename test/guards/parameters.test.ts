import { reportTemplates } from '@tenantscope/compliance';
import {
  describe as describeParameter,
  errors,
  limitMax,
  type Operation,
  openApi,
  operations,
  type Parameter,
} from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callerOf } from '../product/caller.ts';
import { gets, lists } from './asked.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

let product: StillProduct;
let reader: Reader;
let neighbour: Reader;

beforeAll(async () => {
  product = await stillProduct();
  reader = product.reader(await product.tenant());
  neighbour = product.reader(await product.tenant());
}, 90_000);
afterAll(() => product?.[Symbol.asyncDispose](), 60_000);

const named = <One extends Operation>(some: readonly One[]) => some.map((one) => [one.name, one] as const);
const pathOf = (operation: Operation) =>
  operation.path.replace('{id}', operation.kind === 'get' ? operation.exampleId : '');
/** A report takes the parameters of its template. */
const pathTaking = (operation: Operation, parameter: string) => {
  const template = reportTemplates.find(({ parameters }) => parameters.some(({ name }) => name === parameter));
  return operation.name === 'get_report' ? operation.path.replace('{id}', template?.id ?? '') : pathOf(operation);
};
const allowedOf = (parameter: Parameter) => ('allowed' in parameter ? parameter.allowed : []);

test('what is served is the description, with this address in it', async () => {
  const served = await callerOf(product.baseUrl, null).get('/openapi.json');
  expect(served.status).toBe(200);
  expect(served.body).toEqual(JSON.parse(JSON.stringify(openApi(operations, product.baseUrl))));
});

test.each(named(operations))('%s: every example answers', async (_, operation) => {
  for (const { words, input } of operation.examples) {
    const path = pathOf(operation);
    const answer = await reader.get(path, input as Record<string, string>);
    expect(answer.status, `${words}: ${answer.text}`).toBe(200);
  }
});

test.each(named(operations))(
  '%s: every parameter has words, an example that is taken, and its allowed values',
  async (_, operation) => {
    for (const [name, parameter] of Object.entries<Parameter>(operation.parameters)) {
      const words = describeParameter(parameter);
      expect(words, name).toMatch(/^[A-Z].+\. .+ Example: \S/);
      for (const value of allowedOf(parameter)) expect(words, name).toContain(value);
      for (const value of [parameter.example, ...allowedOf(parameter)]) {
        const answer = await reader.get(pathTaking(operation, name), { [name]: value });
        // The incident of the example is of the demonstration.
        expect(answer.status, `${name}=${value}: ${answer.text}`).toBe(name === 'incidentId' ? 404 : 200);
      }
    }
  },
);

test.each(named(operations))('%s: its words fit into what a reader can hold', (_, operation) => {
  const parameters = Object.values<Parameter>(operation.parameters).map(describeParameter);
  expect(operation.summary.length).toBeLessThanOrEqual(60);
  expect(operation.description.length).toBeLessThanOrEqual(1_200);
  expect(parameters.filter((words) => words.length > 400)).toEqual([]);
});

test('the whole description stays small', () => {
  expect(JSON.stringify(openApi(operations, 'https://tenantscope.example.test/api/v1')).length).toBeLessThan(400_000);
});

/** A refusal names the parameter, and what would have been taken. */
async function expectRefused(operation: Operation, parameters: Record<string, string>, name: string): Promise<void> {
  const answer = await reader.get(operation.path.replace('{id}', 'x'), parameters);
  const label = `${operation.path} ${JSON.stringify(parameters)} ${answer.text}`;
  expect(answer, label).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
  expect(answer.body.error.details, label).toContainEqual(expect.objectContaining({ parameter: name }));
}

test.each(named(operations))(
  '%s: an unknown parameter is refused, and the known ones are named',
  async (_, operation) => {
    await expectRefused(operation, { nonsense: '1' }, 'nonsense');
    const answer = await reader.get(operation.path.replace('{id}', 'x'), { nonsense: '' });
    expect(answer.body.error.details[0].allowed).toEqual(Object.keys(operation.parameters));
  },
);

test.each(named(lists))('%s: a limit from 1 to 1000 and no other', async (_, list) => {
  for (const limit of ['1', String(limitMax)])
    expect((await reader.get(list.path, { limit })).body.pagination.limit).toBe(Number(limit));
  for (const limit of ['0', String(limitMax + 1), '-1', '1.5', '1e2', 'all', ' 5', '٣'])
    await expectRefused(list, { limit }, 'limit');
});

test.each(named(lists))(
  '%s: what is outside a closed vocabulary is refused, what is unknown in an open one matches nothing',
  async (_, list) => {
    for (const [name, parameter] of Object.entries<Parameter>(list.parameters)) {
      switch (parameter.kind) {
        case 'choices':
          for (const value of [
            'sideways',
            `${parameter.allowed[0]},sideways`,
            parameter.allowed[0]?.toUpperCase() ?? '',
          ])
            await expectRefused(list, { [name]: value }, name);
          break;
        case 'flag':
          for (const value of ['yes', '1', 'TRUE', 'true,false']) await expectRefused(list, { [name]: value }, name);
          break;
        case 'sort':
          for (const value of ['sideways', `${parameter.allowed[0]},${parameter.allowed[0]}`])
            await expectRefused(list, { [name]: value }, name);
          break;
        case 'instant':
          for (const value of ['yesterday', '2026-13-01', '2026-11-01T25:00:00Z'])
            await expectRefused(list, { [name]: value }, name);
          break;
        case 'texts': {
          const answer = await reader.get(list.path, { [name]: "nobody has this, ' or 1=1 --,ünknown,\\" });
          expect(answer.status, answer.text).toBe(200);
          expect(answer.body.data).toEqual([]);
        }
      }
    }
  },
);

test.each(named(lists))('%s: a window that ends before it begins is refused', async (_, list) => {
  for (const { from, to } of Object.values(list.windows))
    await expectRefused(list, { [from]: '2026-11-02T00:00:00Z', [to]: '2026-11-01T00:00:00Z' }, from);
});

const resumable = (sorts: readonly string[]) => sorts.find((sort) => sort.endsWith('Asc')) ?? '';

test.each(named(lists))('%s: a cursor of another list, of another tenant, or changed, is refused', async (_, list) => {
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
  test.each(named(gets))('%s: an id that nobody has is 404, however odd it is', async (_, get) => {
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
      const answer = await reader.get(get.path.replace('{id}', id));
      expect(answer, `${id} ${answer.text}`).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

test('what fails while all this is asked is in the table of errors', async () => {
  const caller = callerOf(product.baseUrl, null);
  const answers = await Promise.all([
    caller.get('/logs'),
    caller.get('/nowhere'),
    reader.get('/logs', { cursor: 'x' }),
    reader.get('/logs', { limit: '0' }),
    reader.get('/ping', {}, { accept: 'text/html' }),
    reader.get('/ping', {}, { 'X-Tenant-Id': neighbour.tenantId }),
  ]);
  const described = JSON.stringify(openApi(operations, product.baseUrl));
  for (const { status, code } of answers) {
    expect(errors[code as keyof typeof errors]?.status, code).toBe(status);
    expect(described).toContain(`\`${code}\``);
  }
});
