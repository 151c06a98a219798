import { Status } from '../../parts/status.tsx';
import { clock, number, size, useLanguage, utc } from '../../words/words.tsx';
import { Budget, Wait } from './budget.tsx';
import { HeadersView } from './headers-view.tsx';
import { JsonView } from './json-view.tsx';
import type { Page } from './page.ts';
import { RequestLine } from './request-line.tsx';
import { TableView } from './table-view.tsx';

/** About so many characters make a token. */
const charactersOfToken = 4;

/** What went out, how it ended, and what it cost. */
export function Outcome({ page }: { page: Page }) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const { request, told, read, document } = page;
  const isGood = told.status < 300 && read.tool?.isError !== true;
  const code = read.code ?? (isGood ? playground.ok : '');
  return (
    <div className="stack">
      <RequestLine request={request} />
      <div className="row row-wide" role="status">
        <Status standing={isGood ? 'good' : 'bad'}>
          {told.status} {code}
        </Status>
        <span>{number(language, told.ms)} ms</span>
        <span>{size(language, told.size)}</span>
        {read.rows && <span>{playground.rows(read.rows.length)}</span>}
        {read.completeThrough && <span>{playground.settledTo(`${clock(read.completeThrough)}Z`)}</span>}
        <Budget headers={told.headers} />
      </div>
      {(read.window?.from || read.window?.to) && (
        <p className="small muted">
          {playground.windowApplied(shownTime(read.window.from), shownTime(read.window.to))}
        </p>
      )}
      {read.tool && document && (
        <p className="small muted">
          {playground.tokens(
            number(language, document.text.length),
            number(language, Math.round(document.text.length / charactersOfToken)),
          )}
          . {read.tool.isSame && playground.same}
        </p>
      )}
      {read.tool && !read.tool.isError && !read.tool.isSame && told.status < 300 && (
        <p className="note note-bad">{playground.differs}</p>
      )}
      {read.tool?.isError && <Status standing="bad">{playground.isError}</Status>}
      {read.message !== null && (
        <p className="note note-bad" role="alert" lang="en">
          {read.message}
        </p>
      )}
      {told.status === 429 && <Wait headers={told.headers} />}
    </div>
  );
}

const shownTime = (time: string | null): string | null => (time === null ? null : utc(time));

interface BodyGiven {
  readonly page: Page;
  readonly view: 'json' | 'table' | 'headers';
}

export function Body({ page: { told, read, document }, view }: BodyGiven) {
  const { playground } = useLanguage().words;
  if (view === 'headers') return <HeadersView told={told} />;
  if (document === null) return <p className="empty">{playground.tooLarge}</p>;
  if (view === 'table') return <TableView document={document} read={read} label={playground.tabs.table} />;
  return <JsonView document={document} read={read} label={playground.tabs.json} />;
}
