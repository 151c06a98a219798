import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { useWords } from '../../words/words.tsx';
import type { Indexed } from './indexed.ts';
import { Lead, moveAmongStops } from './lead.tsx';
import { useLeads } from './leads.ts';
import { cellOf, childrenOf, memberOf, nameOf } from './members.ts';
import type { Read } from './page.ts';
import { visible } from './visible.ts';

const rowHeight = 28;
const sampled = 200;
/** More than that is read as JSON. */
const cellMax = 400;

interface Given {
  readonly document: Indexed;
  readonly read: Read;
  readonly label: string;
}

/** Rows as a table, one record as its members; only what is in sight is drawn, and the table says how many there are. */
export function TableView({ document, read, label }: Given) {
  const { playground } = useWords();
  const { rows, data } = read;
  const members = useMemo(
    () => (rows === null && data >= 0 ? [...childrenOf(document, data)] : []),
    [document, rows, data],
  );
  const columns = useMemo(() => columnsOf(document, rows ?? []), [document, rows]);
  const heads = rows === null ? [playground.member, playground.value] : columns;
  const count = rows?.length ?? members.length;
  const { leadOf, follow } = useLeads(document, data);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (count === 0) return <p className="empty">{playground.noRows}</p>;
  const items = virtual.getVirtualItems();
  const cellsOf = (index: number) =>
    rows === null
      ? [{ name: '', line: members[index] ?? -1 }]
      : columns.map((name) => ({ name, line: memberOf(document, rows[index] ?? -1, name) }));
  let first: number | null = null;
  const isFirst = (index: number, line: number) => {
    if (index < (virtual.range?.startIndex ?? 0)) return false;
    first ??= line;
    return first === line;
  };
  const cell = (index: number, name: string, line: number) => {
    const text = cellOf(document, line);
    const lead = line < 0 ? null : leadOf(line);
    const shown = visible(text.length > cellMax ? `${text.slice(0, cellMax)}…` : text);
    return (
      <td key={name} title={shown.length > 36 ? shown : undefined}>
        {lead ? <Lead to={lead} text={text} isFirst={isFirst(index, line)} follow={follow} /> : shown}
      </td>
    );
  };
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls by keyboard stops here */
    <section ref={scroller} className="view" aria-label={label} tabIndex={0} onKeyDown={moveAmongStops}>
      <table className="grid" aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map((name) => (
              <th key={name} scope="col">
                {visible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer columns={heads.length} height={items[0]?.start ?? 0} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {rows === null && <th scope="row">{visible(nameOf(document, members[index] ?? -1) ?? '')}</th>}
              {cellsOf(index).map(({ name, line }) => cell(index, name, line))}
            </tr>
          ))}
          <Spacer columns={heads.length} height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </section>
  );
}

/** The room of rows that are not drawn. */
function Spacer({ columns, height }: { columns: number; height: number }) {
  return (
    /* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */
    <tr className="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

/** As the records have them; what none of the first has anything in comes last. */
function columnsOf(document: Indexed, rows: readonly number[]): readonly string[] {
  const names = new Map<string, boolean>();
  for (const row of rows.slice(0, sampled))
    for (const line of childrenOf(document, row)) {
      const name = nameOf(document, line) ?? '';
      names.set(name, names.get(name) === true || cellOf(document, line) !== '');
    }
  return [...names.keys()].sort((one, other) => Number(names.get(other)) - Number(names.get(one)));
}
