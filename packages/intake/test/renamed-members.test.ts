// @module-tag exhaustive
import { existsSync, readFileSync } from 'node:fs';
import { type ActivityFormatName, activityFormats, readActivity } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listPaths, type Path } from './member-paths.ts';
import { context, ends, message } from './message.ts';

/** Published records of others, which stay outside the repository. */
const folder = new URL('../../../../shared/real-data/', import.meta.url);
const isThere = existsSync(new URL('index.json', folder));
const title = isThere ? 'published records' : 'SKIPPED: ../shared/real-data is missing next to the checkout';

interface IndexedFile {
  readonly path: string;
  readonly format: string;
}

const recordsPerFile = 8;
const surroundings = { ...context, findTenant: () => ({ azureTenantId: null }), nowMs: Date.UTC(2030, 0, 1) };
const readEnds = (format: ActivityFormatName, record: unknown) =>
  ends(readActivity(message(format, record as string | object), surroundings));

/** Members that give the time and the operation, and what contains them: without these a record is none. */
const required =
  /^(?:(?:properties|id|events(?:\.\d+)?)\.)?(?:time|id|events|name|category|properties|AuditData|CreationTime|[oO]peration|operation[nN]ame|published|event[tT]ype|event_name|Received|interactionType|activityDisplayName|ActionType|Timestamp|(?:created|activity)DateTime|\w*[tT]ime\w*)$/;

/** Renames a member, or gives it another value; what an earlier change has removed stays as it is. */
function change(record: unknown, path: Path, replacement: readonly unknown[]): void {
  let parent = record as Record<string | number, unknown> | null | undefined;
  for (const step of path.slice(0, -1)) {
    parent = parent?.[step] as typeof parent;
    if (typeof parent !== 'object') return;
  }
  const name = path.at(-1) as string | number;
  if (!parent || !Object.hasOwn(parent, name)) return;
  const before = parent[name];
  if (replacement.length > 0) parent[name] = structuredClone(replacement[0]);
  else {
    delete parent[name];
    if (!Array.isArray(parent)) parent[`${name}Renamed`] = before;
  }
}

describe.skipIf(!isThere)(title, { tags: ['shared-records'] }, () => {
  const { files } = isThere
    ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: IndexedFile[] })
    : { files: [] };
  const samples = files.flatMap(({ path, format }) => {
    const name = activityFormats.find((each) => each === format.replace(/\.(?:split|flattened)$/, ''));
    if (name === undefined) return [];
    const lines = readFileSync(new URL(path.replace(/^dev\//, ''), folder), 'utf8')
      .trim()
      .split('\n');
    const accepted = lines.filter((line) => readEnds(name, line).includes('log'));
    const step = Math.max(1, Math.floor(accepted.length / recordsPerFile));
    return accepted
      .filter((_, index) => index % step === 0)
      .slice(0, recordsPerFile)
      .map((line) => ({ format: name, record: JSON.parse(line) as object }));
  });
  const byFormat = Map.groupBy(samples, ({ format }) => format);

  test('cover the formats', () => {
    expect(byFormat.size).toBeGreaterThanOrEqual(13);
  });

  test.each([...byFormat])('of %s are rows without any one member', (format, own) => {
    for (const { record } of own) {
      for (const path of listPaths(record).filter((each) => !required.test(each.join('.')))) {
        const changed = structuredClone(record);
        change(changed, path, []);
        expect([path.join('.'), readEnds(format, changed)]).toEqual([path.join('.'), expect.arrayContaining(['log'])]);
      }
    }
  });

  test.each([...byFormat])('of %s are rows with a hundred members renamed or replaced', (format, own) => {
    const replacement = fc.option(fc.tuple(fc.anything({ maxDepth: 2, withNullPrototype: false })), { nil: [] });
    const changes = fc.array(fc.tuple(fc.nat(), replacement), { minLength: 100, maxLength: 100 });
    fc.assert(
      fc.property(fc.constantFrom(...own), changes, ({ record }, steps) => {
        const paths = listPaths(record).filter((each) => !required.test(each.join('.')));
        const changed = structuredClone(record);
        for (const [number, values] of steps) {
          const path = paths[number % paths.length];
          if (path !== undefined) change(changed, path, values);
        }
        const text = JSON.stringify(changed, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
        expect(readEnds(format, text)).toContain('log');
      }),
      { numRuns: 40 },
    );
  });
});
