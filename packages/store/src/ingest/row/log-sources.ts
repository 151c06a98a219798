/** A feed of a tenant that rows of a batch came from. */
export interface LogSource {
  tenantId: string;
  /** The collector's feed, null where it has none or its name is not plain. */
  name: string | null;
  isUnlisted: boolean;
}

interface SourcedRow {
  tenantId: string;
  sourceName: string | null;
  isUnlisted?: boolean;
}

/** The distinct sources of the rows that `order` numbers, and which of them each of these came from. */
export function collectSources(
  rows: readonly SourcedRow[],
  order: readonly number[],
): { sourceIndexes: Uint32Array; sources: readonly LogSource[] } {
  const numbers = new Map<string, number>();
  const sources: LogSource[] = [];
  const sourceIndexes = Uint32Array.from(order, (ordinal) => {
    const { tenantId, sourceName, isUnlisted = false } = rows[ordinal] as SourcedRow;
    const key = `${tenantId}/${isUnlisted ? 'unlisted' : ''}/${sourceName ?? ''}`;
    const number = numbers.get(key);
    if (number !== undefined) return number;
    numbers.set(key, sources.length);
    const name = sourceName !== null && plainName.test(sourceName) ? sourceName : null;
    return sources.push({ tenantId, name, isUnlisted }) - 1;
  });
  return { sourceIndexes, sources };
}

/** Feeds are few: what does not look like the name of one is counted with all others. */
const plainName = /^[\w.-]{1,64}$/;
