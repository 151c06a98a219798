import { formatTime, type Window } from '@tenantscope/contract';
import type { EmptyPageReasons } from './empty-page.ts';
import type { UnknownValue } from './unknown-values.ts';

interface ExplainedPage extends EmptyPageReasons {
  readonly rowCount: number;
  /** The window on the sort time. */
  readonly window: Window;
  readonly nowMs: number;
  /** Null: rows are not deleted by age. */
  readonly retainedFromMs: number | null;
  readonly ignored: readonly string[];
}

/** Why a page is empty, if its window or its filters show it, and what was not applied to it; null if there is nothing to say. */
export function explainPage({
  rowCount,
  window,
  nowMs,
  retainedFromMs,
  ignored,
  unknown,
  missingFlags,
}: ExplainedPage): string | null {
  const { fromMs, toMs } = window;
  const notes: string[] = [];
  if (rowCount === 0 && fromMs !== null && fromMs > nowMs)
    notes.push(`The window begins at ${formatTime(fromMs)}, which is in the future.`);
  if (rowCount === 0 && toMs !== null && retainedFromMs !== null && toMs < retainedFromMs)
    notes.push(`The window ends before ${formatTime(retainedFromMs)}, where the stored history begins.`);
  notes.push(...unknown.map(explainUnknown));
  if (missingFlags.length > 0)
    notes.push(
      `Rows that match are left out by default: add ${missingFlags.map((name) => `${name}=true`).join(' and ')}.`,
    );
  const ignoredNote = explainIgnored(ignored);
  if (ignoredNote !== null) notes.push(ignoredNote);
  return notes.length === 0 ? null : notes.join(' ');
}

/** Three values with three similar ones each, and the other notes, are below the 1,000 characters that OpenAPI states. */
const shownMax = 48;
const show = (value: string): string => (value.length > shownMax ? `${value.slice(0, shownMax)}…` : value);

function explainUnknown({ parameter, value, near, isInvalid }: UnknownValue): string {
  if (isInvalid) return `${parameter}=${show(value)} is not one IP address, so it matches nothing.`;
  const similar = near.length === 0 ? '' : ` Similar values that do: ${near.map(show).join(', ')}.`;
  return `${parameter}=${show(value)} does not occur in the stored records.${similar}`;
}

/** The note on parameters that a cursor replaces; null without any. */
export const explainIgnored = (ignored: readonly string[]): string | null =>
  ignored.length === 0
    ? null
    : `Not applied, because the cursor contains the request: ${ignored.join(', ')}. Omit the cursor to apply them.`;
