import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { KeyHead, KeyRow, type KeyTableProps } from './key-table.tsx';

const rowHeight = 63;
const columns = 4;

/** The key table for many keys: only visible rows are rendered, and the table announces the row count. */
export function VirtualKeyTable({ keys, chosen, show }: KeyTableProps) {
  const { keys: strings } = useLabels();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keys[index]?.id ?? index,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    /* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */
    <section ref={scroller} className="scroll scroll-many" aria-label={strings.table} tabIndex={0}>
      <table className="cards keys" aria-rowcount={keys.length + 1}>
        <caption className="hidden">{strings.table}</caption>
        <KeyHead />
        <tbody>
          <Spacer height={above} />
          {items.map(({ index }) => {
            const key = keys[index];
            return (
              key && (
                <KeyRow
                  key={key.id}
                  of={key}
                  isChosen={key.id === chosen}
                  show={show}
                  place={index}
                  measure={virtual.measureElement}
                />
              )
            );
          })}
          <Spacer height={below} />
        </tbody>
      </table>
    </section>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    /* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus */
    <tr className="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
