import { useWords } from '../../words/words.tsx';
import type { usePages } from './pages.ts';

/** From page to page, and to the end. */
export function Paging({ answer }: { answer: ReturnType<typeof usePages> }) {
  const { playground } = useWords();
  const { pages, at, totals, isBusy } = answer;
  const hasNext = Boolean(pages.at(-1)?.read.nextCursor);
  if (pages.length === 1 && !hasNext && totals === null) return null;
  return (
    <div className="row">
      <span className="segments">
        {pages.map((page, index) => (
          <button
            key={page.told.headers['x-request-id'] ?? index}
            type="button"
            aria-label={playground.page(index + 1)}
            aria-pressed={index === at}
            onClick={() => answer.show(index)}
          >
            {index + 1}
          </button>
        ))}
      </span>
      {hasNext && (
        <>
          <button type="button" disabled={isBusy} onClick={() => void answer.next()}>
            {playground.next}
          </button>
          <button type="button" disabled={isBusy} onClick={() => void answer.toTheEnd()}>
            {playground.toTheEnd}
          </button>
        </>
      )}
      {totals && (
        <span role="status">
          {playground.totals(totals)}. {!totals.isWhole && playground.stopped}
        </span>
      )}
    </div>
  );
}
