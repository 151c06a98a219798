import {
  ApiError,
  choice,
  choices,
  cursor,
  document,
  get,
  instant,
  parseInput,
  text,
  unfilteredList,
} from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';

const declaration = {
  scope: null,
  summary: 'A paper',
  description: 'A paper.',
  toolDescription: 'A paper.',
  containsUntrustedText: false,
  record: z.object({ id: z.string(), createdAt: z.string() }).meta({ id: 'Paper' }),
  examples: [],
} as const;
const parameters = {
  from: instant('From.', '2026-01-01'),
  to: instant('To.', '2026-01-02'),
  framework: choice(['dora', 'nis2'], 'Framework.', 'dora', { aliases: { digital_resilience: 'dora' } }),
  parts: choices(['head', 'tail'], 'Parts.', 'head'),
  incidentId: text('Incident.', 'a-1'),
  cursor: cursor('Continues.'),
} as const;

const paper = document({
  ...declaration,
  name: 'paper',
  path: '/paper',
  tenant: 'required',
  returns: 'record',
  parameters,
});
const render = get({ ...declaration, name: 'render', path: '/papers/{id}/render', exampleId: 'x', parameters });
const papers = unfilteredList({ ...declaration, name: 'papers', path: '/papers', newestFirst: 'createdAt' });

const read = (query: string) => parseInput(paper, [...new URLSearchParams(query)]);

test('absent and empty parameters are left out, and each other parameter is parsed by its kind', () => {
  expect(read('')).toEqual({});
  expect(read('from=&cursor=0&framework=')).toEqual({});
  expect(read('from=2026-01-01&to=1767312000&framework=nis2&parts=head, tail&incidentId=a b&cursor=c')).toEqual({
    from: Date.UTC(2026, 0, 1),
    to: Date.UTC(2026, 0, 2),
    framework: 'nis2',
    parts: ['head', 'tail'],
    incidentId: 'a b',
    cursor: 'c',
  });
});

test('an alias of a value is parsed as the value', () => {
  expect(read('framework=digital_resilience')).toEqual({ framework: 'dora' });
});

test.each([
  ['framework=sideways', 'framework'],
  ['framework=toString', 'framework'],
  ['framework=dora,nis2', 'framework'],
  ['framework=dora&framework=nis2', 'framework'],
  ['parts=head,middle', 'parts'],
  ['from=yesterday', 'from'],
  ['from=2026-01-02&to=2026-01-01', 'from'],
  [`incidentId=${'x'.repeat(1_025)}`, 'incidentId'],
  ['incidentId=%00', 'incidentId'],
  ['limit=3', 'limit'],
])('"%s" is rejected, naming the parameter', (query, parameter) => {
  expect(() => read(query)).toThrow(ApiError);
  try {
    read(query);
  } catch (error) {
    expect((error as ApiError).details).toContainEqual(expect.objectContaining({ parameter }));
  }
});

test('a by-id operation accepts parameters in addition to its id', () => {
  expect(parseInput(render, [['framework', 'dora']], 'p-1')).toEqual({ id: 'p-1', framework: 'dora' });
});

test('a list without filters accepts limit and cursor only', () => {
  expect(parseInput(papers, [])).toEqual({ cursor: null, filters: {}, windows: {}, sort: 'createdAtDesc', limit: 50 });
  expect(
    parseInput(papers, [
      ['cursor', 'c'],
      ['limit', '7'],
    ]),
  ).toMatchObject({ cursor: 'c', limit: 7 });
  for (const name of ['sort', 'from', 'createdAtFrom'])
    expect(() => parseInput(papers, [[name, 'createdAtDesc']]), name).toThrow(ApiError);
});
