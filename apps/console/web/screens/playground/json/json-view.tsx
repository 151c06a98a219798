import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useLabels } from '../../../labels/language.tsx';
import type { ParsedResponse } from '../response/response-page.ts';
import { moveFocus } from './id-link.tsx';
import { useIdLinks } from './id-links.ts';
import type { JsonIndex } from './json-index.ts';
import { JsonLine } from './json-line.tsx';
import { children, isOpening } from './json-members.ts';
import { SearchBar } from './search-bar.tsx';
import { searchLines } from './search-lines.ts';

const lineHeight = 20;

/** A document by its lines; only those in sight are drawn. */
export function JsonView({ document, read, label }: { document: JsonIndex; read: ParsedResponse; label: string }) {
  const { playground } = useLabels();
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [needle, setNeedle] = useState('');
  const [match, setMatch] = useState(0);
  const searchText = useDeferredValue(needle);
  const shown = useMemo(() => unfolded(document, folded), [document, folded]);
  const found = useMemo(() => searchLines(document, searchText), [document, searchText]);
  const { findLinkAt, openLink } = useIdLinks(document, read.data);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown?.length ?? document.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const goTo = (line: number | undefined) => {
    if (line === undefined) return;
    setFolded(new Set());
    // Every line is in sight now, and stands where its number says.
    requestAnimationFrame(() => virtual.scrollToIndex(line, { align: 'center' }));
  };
  const fold = (line: number) => {
    const next = new Set(folded);
    if (!next.delete(line)) next.add(line);
    setFolded(next);
  };
  const items = virtual.getVirtualItems().map((item) => {
    const line = shown?.[item.index] ?? item.index;
    return { item, line, link: findLinkAt(line) };
  });
  const first = items.find(
    ({ item, line, link }) => item.index >= (virtual.range?.startIndex ?? 0) && (link || isOpening(document, line)),
  );
  return (
    <div className="stack-tight">
      <div className="row apart">
        <SearchBar
          needle={needle}
          lines={document.count}
          found={found.length}
          at={match}
          search={(text) => {
            setNeedle(text);
            setMatch(0);
            goTo(searchLines(document, text)[0]);
          }}
          go={(next) => {
            setMatch(next);
            goTo(found[next]);
          }}
        />
        <span className="row">
          <button type="button" onClick={() => setFolded(foldable(document, read))}>
            {playground.fold}
          </button>
          <button type="button" onClick={() => setFolded(new Set())}>
            {playground.unfold}
          </button>
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
      <section ref={scroller} className="view" aria-label={label} tabIndex={0} onKeyDown={moveFocus}>
        <div className="json" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ item, line, link }) => (
            <JsonLine
              key={line}
              document={document}
              line={line}
              top={item.start}
              isFound={needle !== '' && found[match] === line}
              isFolded={folded.has(line)}
              isFirst={line === first?.line}
              link={link}
              openLink={openLink}
              fold={fold}
            />
          ))}
        </div>
      </section>
    </div>
  );
}

/** The lines in sight; null: all of them. */
function unfolded(document: JsonIndex, folded: ReadonlySet<number>): readonly number[] | null {
  if (folded.size === 0) return null;
  const shown: number[] = [];
  for (let line = 0; line < document.count; line += 1) {
    shown.push(line);
    if (folded.has(line)) line = document.closers[line] ?? line;
  }
  return shown;
}

/** Every record of a list; of one record, what stands in it. */
function foldable(document: JsonIndex, { rows, data }: ParsedResponse): ReadonlySet<number> {
  const lines = rows ?? [...children(document, Math.max(data, 0))];
  return new Set(lines.filter((line) => isOpening(document, line)));
}
