import {
  ApiError,
  choice,
  choices,
  cursor,
  document,
  get,
  history,
  instant,
  readInput,
  text,
} from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';

const words = {
  scope: null,
  summary: 'A paper',
  description: 'A paper.',
  guidance: 'A paper.',
  textOfOthers: false,
  record: z.object({ id: z.string(), madeAt: z.string() }).meta({ id: 'Paper' }),
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

const paper = document({ ...words, name: 'paper', path: '/paper', tenant: 'required', holds: 'one', parameters });
const render = get({ ...words, name: 'render', path: '/papers/{id}/render', exampleId: 'x', parameters });
const papers = history({ ...words, name: 'papers', path: '/papers', newestFirst: 'madeAt' });

const read = (query: string) => readInput(paper, [...new URLSearchParams(query)]);

test('what is absent or empty is left out; what is there is read each in its own way', () => {
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

test('another name of a value leads to it', () => {
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
])('«%s» is refused by name', (query, parameter) => {
  expect(() => read(query)).toThrow(ApiError);
  try {
    read(query);
  } catch (error) {
    expect((error as ApiError).details).toContainEqual(expect.objectContaining({ parameter }));
  }
});

test('a by-id read may take parameters beside its id', () => {
  expect(readInput(render, [['framework', 'dora']], 'p-1')).toEqual({ id: 'p-1', framework: 'dora' });
});

test('a history takes limit and cursor and nothing else', () => {
  expect(readInput(papers, [])).toEqual({ cursor: null, filters: {}, windows: {}, sort: 'madeAtDesc', limit: 50 });
  expect(
    readInput(papers, [
      ['cursor', 'c'],
      ['limit', '7'],
    ]),
  ).toEqual({ cursor: 'c', limit: 7 });
  for (const name of ['sort', 'from', 'madeAtFrom'])
    expect(() => readInput(papers, [[name, 'madeAtDesc']]), name).toThrow(ApiError);
});
