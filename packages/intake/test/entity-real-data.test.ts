import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { entityFormats } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { readSource } from './entity.ts';

/** Published objects of others, which stay outside the repository. */
const folder = new URL('../../../../shared/real-data/entities/', import.meta.url);
const isThere = existsSync(folder);
const title = isThere ? 'on published objects' : 'SKIPPED: ../shared/real-data is missing beside the checkout';

/** Of what kind the entity is that an object belongs to: keys say it, and many excerpts of documentation leave out the id. */
const kinds: Record<string, string> = {
  'graph.user': 'user',
  'graph.group': 'group',
  'graph.device': 'device',
  'graph.serviceprincipal': 'app',
  'graph.oauth2permissiongrant': 'app',
  'graph.approleassignment': 'app',
  'graph.site': 'site',
  'graph.drive': 'site',
  'graph.driveitem': 'file',
  'graph.listitem': 'file',
  'graph.permission': 'file',
  'graph.subscribedsku': 'license',
  'graph.message': 'email',
  'graph.copilotPackage': 'agent',
  'graph.agentIdentity': 'agent',
  'graph.riskyAgent': 'agent',
  'graph.agentRegistration': 'agent',
};

interface Published {
  readonly file: string;
  readonly line: string;
  readonly format: string;
}

function published(): Published[] {
  const files = readdirSync(folder).filter((name) => /\.ndjson$/.test(name) && !/\.(?:meta|expected)\./.test(name));
  return files.flatMap((file) => {
    const [lines, notes] = [file, file.replace('.ndjson', '.meta.ndjson')].map((name) =>
      readFileSync(new URL(name, folder), 'utf8').trim().split('\n'),
    ) as [string[], string[]];
    return lines.map((line, index) => {
      const { format } = JSON.parse(notes[index] as string) as { format?: string };
      const tag = format ?? file.replace(/^[^.]*\./, '').replace('.ndjson', '');
      return { file, line, format: entityFormats.find((name) => name.toLowerCase() === tag.toLowerCase()) ?? tag };
    });
  });
}

describe.skipIf(!isThere)(title, { tags: ['shared-records'] }, () => {
  const records = isThere ? published() : [];

  test('each object of a named format gives a part, and each object of another format a rejection with that reason', () => {
    const formats = new Map<string, number>();
    for (const { format, line, file } of records) {
      const kind = kinds[format];
      const alone = readSource(format, line);
      const needsKey = alone.some((outcome) => outcome.kind === 'rejected' && outcome.reason === 'SCHEMA_VIOLATION');
      const outcomes = needsKey && kind !== undefined ? readSource(format, line, { kind, id: 'told' }) : alone;
      const ends = outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));
      expect(new Set(ends), `${file} ${line}`).toEqual(new Set([kind === undefined ? 'UNKNOWN_TYPE' : 'part']));
      formats.set(format, (formats.get(format) ?? 0) + 1);
    }
    expect(Object.keys(kinds).filter((format) => !formats.has(format))).toEqual([]);
    expect(records.length).toBeGreaterThanOrEqual(180);
  });
});
