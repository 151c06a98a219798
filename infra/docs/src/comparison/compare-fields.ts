import type { Json } from '@tenantscope/intake';
import type { ExpectedFile } from './expected-files.ts';
import type { FieldMapping } from './field-mapping.ts';
import { findMapping, findNoCounterpart } from './field-mappings.ts';
import { normalizers } from './normalizers.ts';
import { readDocument } from './read-document.ts';

/** How often a path of the expected output occurs in a file, and where ours differs. Lines count from 0. */
export interface PathComparison {
  readonly path: string;
  /** Records whose expected output has the path and that the service reads. */
  readonly compared: number;
  readonly differences: readonly { readonly line: number; readonly expected: string }[];
}

export interface FileComparison {
  readonly name: string;
  readonly records: number;
  /** Records with an expected output that the service rejects. */
  readonly rejections: readonly { readonly line: number; readonly reason: string }[];
  readonly paths: readonly PathComparison[];
  /** Paths that nothing in ours corresponds to, and how many records have them. */
  readonly withoutCounterpart: readonly { readonly path: string; readonly records: number; readonly reason: string }[];
  /** Paths in no table. */
  readonly unknown: readonly string[];
}

/** Compares what the service makes of each record with each path of what is expected of it. */
export function compareFile({ name, format, records, expected }: ExpectedFile): FileComparison {
  const paths = new Map<string, { compared: number; differences: { line: number; expected: string }[] }>();
  const withoutCounterpart = new Map<string, { records: number; reason: string }>();
  const unknown = new Set<string>();
  const rejections: { line: number; reason: string }[] = [];
  records.forEach((record, line) => {
    const output = JSON.parse(expected[line] ?? 'null') as Json;
    if (output === null) return;
    const result = readDocument(format, record);
    if ('rejection' in result) {
      rejections.push({ line, reason: result.rejection });
      return;
    }
    const ours = groupValues(result.document);
    for (const [path, values] of groupValues(output)) {
      const mapping = findMapping(format, path);
      const reason = mapping === null ? findNoCounterpart(format, path) : null;
      if (mapping !== null) {
        const entry = paths.get(path) ?? { compared: 0, differences: [] };
        paths.set(path, entry);
        entry.compared++;
        const missing = findMissing(mapping, values, ours);
        if (missing !== undefined) entry.differences.push({ line, expected: missing });
      } else if (reason !== null) {
        withoutCounterpart.set(path, { reason, records: (withoutCounterpart.get(path)?.records ?? 0) + 1 });
      } else {
        unknown.add(path);
      }
    }
  });
  return {
    name,
    records: records.length,
    rejections,
    paths: sortPaths(paths),
    withoutCounterpart: sortPaths(withoutCounterpart),
    unknown: [...unknown].toSorted(),
  };
}

/** The first expected value that none of the members has. */
function findMissing({ members, normalizer = 'exact' }: FieldMapping, values: readonly string[], ours: Values) {
  const { own, expected } = normalizers[normalizer];
  const found = new Set(members.flatMap((member) => ours.get(member) ?? []).flatMap(own));
  return values.find((value) => !found.has(expected(value)));
}

type Values = ReadonlyMap<string, readonly string[]>;

/** The values of a document by path, without brackets for lists: some outputs have a list where others have one value. */
function groupValues(document: Json): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  collectValues(document, '', groups);
  return groups;
}

/** Null and empty texts are no values. */
function collectValues(value: Json | undefined, path: string, groups: Map<string, string[]>): void {
  if (value === null || value === undefined || value === '') return;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) collectValues(item, path, groups);
  } else if (typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      if (path !== 'event' || name !== 'original')
        collectValues(member, path === '' ? name : `${path}.${name}`, groups);
    }
  } else {
    const values = groups.get(path);
    if (values === undefined) groups.set(path, [String(value)]);
    else values.push(String(value));
  }
}

const sortPaths = <Entry>(entries: ReadonlyMap<string, Entry>) =>
  [...entries].map(([path, entry]) => ({ path, ...entry })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
