import type { Entry } from './window-source.ts';

/** What is read of a listed record. */
export interface EntryMembers {
  readonly getTime: (value: Readonly<Record<string, unknown>>) => unknown;
  /** Of records that do not change; undefined, or no such member: the text of the record, so that one that changed is another entry. */
  readonly getId?: (value: Readonly<Record<string, unknown>>) => unknown;
}

/** Listed records. One without a valid time has that of the listing. */
export function toEntries(
  values: readonly unknown[],
  records: readonly Buffer[],
  { getTime, getId }: EntryMembers,
): Entry[] {
  return records.map((record, index) => {
    const value = values[index];
    const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    const parsedMs = Date.parse(String(getTime(object)));
    const id = getId?.(object);
    return {
      id: id === undefined || id === null ? record : JSON.stringify(id),
      timeMs: Number.isNaN(parsedMs) ? Date.now() : parsedMs,
      load: () => ({ records: [record], gaps: [] }),
    };
  });
}
