import { number, size, timeOfDay, utc } from '../../../labels/format.ts';
import { useLanguage } from '../../../labels/language.tsx';
import { Status } from '../../../parts/status.tsx';
import { JsonView } from '../json/json-view.tsx';
import { RequestLine } from '../request/request-line.tsx';
import { HeadersView } from './headers-view.tsx';
import { RateLimit, RetryCountdown } from './rate-limit.tsx';
import type { ResponsePage } from './response-page.ts';
import { TableView } from './table-view.tsx';

/** About so many characters make a token. */
const charactersOfToken = 4;

/** The request, its status, and the rate limit that is left. */
export function ResponseSummary({ page }: { page: ResponsePage }) {
  const { labels, language } = useLanguage();
  const { playground } = labels;
  const { request, meta, parsed: read, document } = page;
  const isGood = meta.status < 300 && read.tool?.isError !== true;
  const code = read.code ?? (isGood ? playground.ok : '');
  return (
    <div className="stack">
      <RequestLine request={request} />
      <div className="row row-wide" role="status">
        <Status level={isGood ? 'good' : 'bad'}>
          {meta.status} {code}
        </Status>
        <span>{number(language, meta.ms)} ms</span>
        <span>{size(language, meta.size)}</span>
        {read.rows && <span>{playground.rows(read.rows.length)}</span>}
        {read.completeThrough && <span>{playground.settledTo(timeOfDay(read.completeThrough))}</span>}
        <RateLimit headers={meta.headers} />
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
          . {read.tool.isSame && playground.sameText}
        </p>
      )}
      {read.tool && !read.tool.isError && !read.tool.isSame && meta.status < 300 && (
        <p className="note note-bad">{playground.differentText}</p>
      )}
      {read.tool?.isError && <Status level="bad">{playground.isError}</Status>}
      {read.message !== null && (
        <p className="note note-bad" role="alert" lang="en">
          {read.message}
        </p>
      )}
      {meta.status === 429 && <RetryCountdown headers={meta.headers} />}
    </div>
  );
}

const shownTime = (time: string | null): string | null => (time === null ? null : utc(time));

interface BodyGiven {
  readonly page: ResponsePage;
  readonly view: 'json' | 'table' | 'headers';
}

export function ResponseBody({ page: { meta, parsed: read, document }, view }: BodyGiven) {
  const { playground } = useLanguage().labels;
  if (view === 'headers') return <HeadersView meta={meta} />;
  if (document === null) return <p className="empty">{playground.tooLarge}</p>;
  if (view === 'table') return <TableView document={document} read={read} label={playground.tabs.table} />;
  return <JsonView document={document} read={read} label={playground.tabs.json} />;
}
