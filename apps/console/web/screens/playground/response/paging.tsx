import { useLabels } from '../../../labels/language.tsx';
import type { usePages } from './use-pages.ts';

/** From page to page, and to the end. */
export function Paging({ response }: { response: ReturnType<typeof usePages> }) {
  const { playground } = useLabels();
  const { pages, at, totals, isBusy } = response;
  const hasNext = Boolean(pages.at(-1)?.parsed.nextCursor);
  if (pages.length === 1 && !hasNext && totals === null) return null;
  return (
    <div className="row">
      <span className="segments">
        {pages.map((page, index) => (
          <button
            key={page.meta.headers['x-request-id'] ?? index}
            type="button"
            aria-label={playground.page(index + 1)}
            aria-pressed={index === at}
            onClick={() => response.show(index)}
          >
            {index + 1}
          </button>
        ))}
      </span>
      {hasNext && (
        <>
          <button type="button" disabled={isBusy} onClick={() => void response.next()}>
            {playground.next}
          </button>
          <button type="button" disabled={isBusy} onClick={() => void response.toTheEnd()}>
            {playground.fetchAll}
          </button>
        </>
      )}
      {totals && (
        <span role="status">
          {playground.totals(totals)}. {!totals.isWhole && playground.fetchStopped}
        </span>
      )}
    </div>
  );
}
