import {
  type ActivityFormatName,
  type AlertFormatName,
  activityFormats,
  alertFormats,
  entityFormats,
  type Outcome,
  type RecordOutcome,
} from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { sourceShapes } from '../src/source/source-shapes.ts';
import { agentObjects } from './agent-objects.ts';
import { readAlert } from './alert-message.ts';
import { contentObjects } from './content-objects.ts';
import { directoryObjects } from './directory-objects.ts';
import { readSource } from './entity.ts';
import { activityRecords, alertRecords } from './format-records.ts';
import { read } from './message.ts';
import { enrichments, wrappings } from './wrappings.ts';

interface Sample {
  readonly name: string;
  readonly record: object;
  /** What reading gives: rows, states or parts. Without `source`, which retains what shippers added. */
  readonly read: (payload: string | Buffer) => readonly (Outcome | RecordOutcome)[];
}

const objects = [...directoryObjects, ...contentObjects, ...agentObjects];
const samples: readonly Sample[] = [
  ...Object.entries(activityRecords).map(([name, record]) => ({
    name: `${name} on raw.activity`,
    record,
    read: (payload: string | Buffer) => read(name as ActivityFormatName, payload),
  })),
  ...Object.entries(alertRecords).map(([name, record]) => ({
    name: `${name} on raw.alert`,
    record,
    read: (payload: string | Buffer) => readAlert(name as AlertFormatName, payload),
  })),
  ...objects.map(([format, object, key], index) => ({
    name: `${format} on raw.entity (${index})`,
    record: object as object,
    read: (payload: string | Buffer) => readSource(format, payload, key),
  })),
];

const sourceless = (outcomes: readonly (Outcome | RecordOutcome)[]) =>
  outcomes.map((outcome) => (outcome.kind === 'log' ? { ...outcome, row: { ...outcome.row, source: null } } : outcome));

test('every format has a shape and every shape belongs to a format', () => {
  const formats = new Set<string>([...activityFormats, ...alertFormats, ...entityFormats]);
  expect([...formats].sort()).toEqual(Object.keys(sourceShapes).sort());
});

describe.each(samples)('$name', { tags: 'exhaustive' }, ({ record, read: readPayload }) => {
  const text = JSON.stringify(record);
  const bare = readPayload(text);

  test('is read without a wrapper', () => {
    expect(bare.length).toBeGreaterThanOrEqual(1);
    expect(bare.map(({ kind }) => kind)).not.toContain('rejected');
  });

  test.each(Object.entries(wrappings))('is the same in %s', (_name, wrap) => {
    expect(readPayload(wrap(text))).toEqual(bare);
  });

  test.each(Object.entries(enrichments))('is the same with %s', (_name, enrich) => {
    const enriched = JSON.stringify({ ...record, ...enrich(text) });
    expect(sourceless(readPayload(enriched))).toEqual(sourceless(bare));
  });

  test('is the same twice in lines of JSON, with one line that is not JSON', () => {
    const lines = readPayload(`${text}\r\n\n${text}\n{"cut":\n`);
    const own = bare.map((outcome) => ({ ...outcome, element: 1 }));
    expect(lines.slice(0, -1)).toEqual([...bare, ...own]);
    expect(lines.at(-1)).toMatchObject({ kind: 'rejected', reason: 'SCHEMA_VIOLATION', element: 2 });
  });
});
