import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { number, useLanguage } from '../../words/words.tsx';
import { type Line, linesOf, visible } from './lines.ts';

const lineHeight = 20;
/** A tool's answer holds the whole document in one string: nobody reads that in a line. */
const lineMax = 2_000;

/** A document by its lines; only those in sight are drawn. */
export function JsonView({ text, label }: { text: string; label: string }) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const lines = useMemo(() => linesOf(text), [text]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [needle, setNeedle] = useState('');
  const [match, setMatch] = useState(0);
  const shown = useMemo(() => unfolded(lines, folded), [lines, folded]);
  const found = useMemo(() => matches(lines, needle), [lines, needle]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const goTo = (index: number, among: readonly number[]) => {
    const line = among[index];
    setMatch(index);
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
  return (
    <div className="stack-tight">
      <div className="row apart">
        <span className="row">
          <input
            type="search"
            className="find"
            aria-label={playground.find}
            placeholder={playground.find}
            value={needle}
            onChange={({ target }) => {
              setNeedle(target.value);
              goTo(0, matches(lines, target.value));
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || found.length === 0) return;
              event.preventDefault();
              goTo((match + (event.shiftKey ? found.length - 1 : 1)) % found.length, found);
            }}
          />
          <span className="small muted" role="status">
            {needle === ''
              ? playground.lines(lines.length)
              : found.length === 0
                ? playground.none
                : playground.matches(number(language, match + 1), number(language, found.length))}
          </span>
        </span>
        <span className="row">
          <button type="button" onClick={() => setFolded(rowsOf(lines))}>
            {playground.fold}
          </button>
          <button type="button" onClick={() => setFolded(new Set())}>
            {playground.unfold}
          </button>
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls by keyboard stops here */}
      <section ref={scroller} className="view" aria-label={label} tabIndex={0}>
        <div className="json" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const index = shown[item.index] ?? 0;
            const line = lines[index];
            if (!line) return null;
            return (
              <div
                key={index}
                className={needle !== '' && found[match] === index ? 'json-line json-found' : 'json-line'}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <span className="line-number">{index + 1}</span>
                {line.end === index ? (
                  <span className="fold-none" />
                ) : (
                  <button
                    type="button"
                    tabIndex={-1}
                    aria-expanded={!folded.has(index)}
                    aria-label={`${playground.fold} ${index + 1}`}
                    onClick={() => fold(index)}
                  >
                    {folded.has(index) ? '▸' : '▾'}
                  </button>
                )}
                <Text line={line} isFolded={folded.has(index)} />
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

function unfolded(lines: readonly Line[], folded: ReadonlySet<number>): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    shown.push(index);
    if (folded.has(index)) index = lines[index]?.end ?? index;
  }
  return shown;
}

function matches(lines: readonly Line[], needle: string): readonly number[] {
  if (needle === '') return [];
  const wanted = needle.toLowerCase();
  return lines.flatMap(({ text }, index) => (text.toLowerCase().includes(wanted) ? [index] : []));
}

/** Every record of a list, wherever the list stands. */
function rowsOf(lines: readonly Line[]): ReadonlySet<number> {
  const list = lines.findIndex(({ text }) => text === '"data": [');
  const depth = (lines[list]?.depth ?? 0) + 1;
  const last = lines[list]?.end ?? lines.length;
  return new Set(
    lines.flatMap((line, index) =>
      index > list && index < last && line.depth === depth && line.end > index ? [index] : [],
    ),
  );
}

const parts = /^("(?:[^"\\]|\\.)*": )?(.*)$/s;

function Text({ line: { text, depth, end }, isFolded }: { line: Line; isFolded: boolean }) {
  const { playground } = useLanguage().words;
  const [, key = '', value = ''] = parts.exec(text) ?? [];
  const isOpen = end !== -1 && /[[{]$/.test(value);
  const kind = value.startsWith('"') ? 'json-string' : /^[-\d]/.test(value) ? 'json-number' : 'json-word';
  const shown = value.length > lineMax ? value.slice(0, lineMax) : value;
  return (
    <span>
      {'  '.repeat(depth)}
      <span className="json-key">{visible(key)}</span>
      <span className={/^[[\]{}]/.test(value) ? undefined : kind}>{visible(shown)}</span>
      {shown !== value && <span className="muted">{playground.longer(value.length - lineMax)}</span>}
      {isFolded && isOpen && <span className="muted"> … {value === '[' ? ']' : '}'}</span>}
    </span>
  );
}
