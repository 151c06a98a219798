import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EcsFlat } from '@elastic/ecs';
import { type EcsFields, ecsVersion, logFields } from '@tenantscope/mapping';
import { expect, test } from 'vitest';

// The ingest pipeline of the connector for Elastic and the view of the API write the same fields.

type Processor = Readonly<
  Record<string, string> & { params?: Readonly<Record<string, number>>; value?: string | readonly string[] }
>;

const path = join(import.meta.dirname, '..', '..', '..', 'packages', 'connectors', 'elastic', 'ingest-pipeline.json');
const { processors } = JSON.parse(readFileSync(path, 'utf8')) as { processors: Readonly<Record<string, Processor>>[] };
const steps = processors.flatMap((processor) => Object.entries(processor));
const isOfProduct = (field: string) => field.startsWith('tenantscope.') || field === 'tenantscope';

test('every field that the pipeline writes is one of the schema', () => {
  const written = steps.map(([kind, { field = '', target_field }]) =>
    kind === 'set' ? field : (target_field ?? field),
  );
  const fields = written.filter((field) => field !== '' && !isOfProduct(field));
  expect(fields.length).toBeGreaterThan(20);
  expect(fields.filter((field) => !Object.hasOwn(EcsFlat, field))).toEqual([]);
});

test('a member has the same field in the pipeline and in the view', () => {
  const copied = steps.filter(([, { copy_from }]) => copy_from !== undefined);
  expect(copied.length).toBeGreaterThan(15);
  for (const [, { field = '', copy_from }] of copied) {
    const source = (logFields as EcsFields<object>)[field];
    expect(typeof source === 'object' && 'member' in source ? source.member : source, field).toBe(
      copy_from?.replace('tenantscope.', ''),
    );
  }
});

test('severities have the same numbers, and documents the same version', () => {
  const rateSeverity = logFields['event.severity'] as { read: (row: never) => unknown };
  const numbers = steps.find(([kind]) => kind === 'script')?.[1].params ?? {};
  expect(Object.keys(numbers)).toHaveLength(5);
  for (const [severity, number] of Object.entries(numbers))
    expect(rateSeverity.read({ severity } as never), severity).toBe(number);
  expect(steps.find(([, { field }]) => field === 'ecs.version')?.[1].value).toBe(ecsVersion);
});
