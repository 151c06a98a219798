import { useState } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { Status } from '../../parts/status.tsx';
import { clock, number, size, span, useLanguage, utc } from '../../words/words.tsx';
import { HeadersView } from './headers-view.tsx';
import { JsonView } from './json-view.tsx';
import type { Page, Wanted } from './page.ts';
import { TableView } from './table-view.tsx';

/** What went out, how it ended, and what it cost. */
export function Outcome({ page, mode }: { page: Page; mode: Wanted['mode'] }) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const { told, read, text } = page;
  const isGood = told.status < 300 && !read.isError;
  return (
    <div className="stack">
      <div className="request">
        <code>
          {told.request.method} {told.request.path}
        </code>
        <Copy text={`${told.request.method} ${told.request.path}`} />
      </div>
      {told.request.body !== null && (
        <details>
          <summary>{playground.body}</summary>
          <pre className="lines">{pretty(told.request.body)}</pre>
        </details>
      )}
      <div className="row row-wide" role="status">
        <Status standing={isGood ? 'good' : 'bad'}>{told.status}</Status>
        <span>{number(language, told.ms)} ms</span>
        <span>{size(language, told.size)}</span>
        {read.rows && <span>{playground.rows(read.rows.length)}</span>}
        {read.completeThrough && <span>{playground.settledTo(`${clock(read.completeThrough)}Z`)}</span>}
        <Budget headers={told.headers} />
      </div>
      {read.window && (
        <p className="small muted">
          {playground.windowApplied(
            read.window.from === null ? playground.open : utc(read.window.from),
            read.window.to === null ? playground.open : utc(read.window.to),
          )}
        </p>
      )}
      {mode === 'mcp' && text !== null && (
        <p className="small muted">
          {playground.tokens(number(language, text.length), number(language, Math.round(text.length / 4)))}.{' '}
          {isGood && playground.same}
        </p>
      )}
      {read.isError && <Status standing="bad">{playground.isError}</Status>}
      {read.message !== null && (
        <p className="note note-bad" role="alert">
          {read.message}
        </p>
      )}
    </div>
  );
}

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
const barWidth = 96;

/** What is left of the minute's requests. */
function Budget({ headers }: { headers: Page['told']['headers'] }) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));
  // The answer's own moment: the line does not count down by itself.
  const [nowMs] = useState(Date.now);
  if (!limit || left === undefined || reset === undefined || Number.isNaN(left)) return null;
  return (
    <span className="budget">
      <svg width={barWidth} height={8} aria-hidden="true">
        <rect width={barWidth} height={8} rx={2} />
        <rect className="budget-left" width={(barWidth * left) / limit} height={8} rx={2} />
      </svg>
      {playground.budget(left, limit)}
      <span className="muted">{playground.resets(span(language, Math.max(0, reset * 1_000 - nowMs)))}</span>
    </span>
  );
}

export function Body({ page, view }: { page: Page; view: 'json' | 'table' | 'headers' }) {
  const { playground } = useLanguage().words;
  if (view === 'headers') return <HeadersView told={page.told} />;
  if (page.text === null) return <p className="empty">{playground.tooLarge}</p>;
  if (view === 'table') return <TableView rows={page.read.rows} label={playground.tabs.table} />;
  return <JsonView text={page.text} label={playground.tabs.json} />;
}
