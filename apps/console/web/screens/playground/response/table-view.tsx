import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { escapeInvisible } from '../../../../api/escape-invisible.ts';
import { useLabels } from '../../../labels/language.tsx';
import { IdLink, moveFocus } from '../json/id-link.tsx';
import { useIdLinks } from '../json/id-links.ts';
import type { JsonIndex } from '../json/json-index.ts';
import { cellText, children, findMember, memberName } from '../json/json-members.ts';
import type { ParsedResponse } from './response-page.ts';

const rowHeight = 28;
const sampled = 200;
/** More than that is read as JSON. */
const cellMax = 400;

interface Props {
  readonly document: JsonIndex;
  readonly read: ParsedResponse;
  readonly label: string;
}

/** Rows as a table, one record as its members; only what is in sight is drawn, and the table says how many there are. */
export function TableView({ document, read, label }: Props) {
  const { playground } = useLabels();
  const { rows, data } = read;
  const members = useMemo(
    () => (rows === null && data >= 0 ? [...children(document, data)] : []),
    [document, rows, data],
  );
  const columns = useMemo(() => columnsOf(document, rows ?? []), [document, rows]);
  const heads = rows === null ? [playground.field, playground.value] : columns;
  const count = rows?.length ?? members.length;
  const { findLinkAt, openLink } = useIdLinks(document, data);
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
      : columns.map((name) => ({ name, line: findMember(document, rows[index] ?? -1, name) }));
  let first: number | null = null;
  const isFirst = (index: number, line: number) => {
    if (index < (virtual.range?.startIndex ?? 0)) return false;
    first ??= line;
    return first === line;
  };
  const cell = (index: number, name: string, line: number) => {
    const text = cellText(document, line);
    const link = line < 0 ? null : findLinkAt(line);
    const shown = escapeInvisible(text.length > cellMax ? `${text.slice(0, cellMax)}…` : text);
    return (
      <td key={name} title={shown.length > 36 ? shown : undefined}>
        {link ? <IdLink to={link} text={text} isFirst={isFirst(index, line)} openLink={openLink} /> : shown}
      </td>
    );
  };
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */
    <section ref={scroller} className="view" aria-label={label} tabIndex={0} onKeyDown={moveFocus}>
      <table className="grid" aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map((name) => (
              <th key={name} scope="col">
                {escapeInvisible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer columns={heads.length} height={items[0]?.start ?? 0} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {rows === null && (
                <th scope="row">{escapeInvisible(memberName(document, members[index] ?? -1) ?? '')}</th>
              )}
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
function columnsOf(document: JsonIndex, rows: readonly number[]): readonly string[] {
  const names = new Map<string, boolean>();
  for (const row of rows.slice(0, sampled))
    for (const line of children(document, row)) {
      const name = memberName(document, line) ?? '';
      names.set(name, names.get(name) === true || cellText(document, line) !== '');
    }
  return [...names.keys()].sort((one, other) => Number(names.get(other)) - Number(names.get(one)));
}
