import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { useWords } from '../../words/words.tsx';
import { visible } from './lines.ts';
import { cellOf, type Row } from './page.ts';

const rowHeight = 28;
const sampled = 200;

/** Rows as a table; only those in sight are drawn, and the table says how many there are. */
export function TableView({ rows, label }: { rows: readonly Row[] | null; label: string }) {
  const { playground } = useWords();
  const columns = useMemo(() => columnsOf(rows ?? []), [rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (rows === null || rows.length === 0) return <p className="empty">{playground.noRows}</p>;
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls by keyboard stops here */
    <section ref={scroller} className="view" aria-label={label} tabIndex={0}>
      <table className="grid" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */}
          <tr className="spacer" aria-hidden="true">
            <td colSpan={columns.length} style={{ height: above }} />
          </tr>
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {columns.map((name) => {
                const text = visible(cellOf(rows[index]?.[name]));
                return (
                  <td key={name} title={text.length > 36 ? text : undefined}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */}
          <tr className="spacer" aria-hidden="true">
            <td colSpan={columns.length} style={{ height: below }} />
          </tr>
        </tbody>
      </table>
    </section>
  );
}

/** As the records have them; what none of the first has anything in comes last. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = new Map<string, boolean>();
  for (const row of rows.slice(0, sampled))
    for (const [name, value] of Object.entries(row)) names.set(name, names.get(name) === true || value !== null);
  return [...names.keys()].sort((one, other) => Number(names.get(other)) - Number(names.get(one)));
}
