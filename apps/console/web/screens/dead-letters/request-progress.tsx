import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type DeadLetter, type DeadLetterRequest, readDeadLetterRequest } from '../../../api/dead-letters.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { call } from '../../client/api-client.ts';
import { useLabels } from '../../labels/language.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { Status } from '../../parts/status.tsx';
import { reasonLabel } from './reason-labels.ts';

const everyMs = 1_000;
/** Ingest polls for requests every two seconds. */
const takenWithinMs = 6_000;
const good: ReadonlySet<string> = new Set(['passes', 'projected', 'settled', 'discarded']);

/** The progress of a request, and the result for each dead letter. */
export function RequestProgress({ id, deadLetters }: { id: string; deadLetters: readonly DeadLetter[] }) {
  const labels = useLabels();
  const { deadLetters: strings } = labels;
  const client = useQueryClient();
  const [requestedMs] = useState(Date.now);
  const shown = useQuery({
    queryKey: ['dead-letter-request', id],
    queryFn: async ({ signal }) => {
      const request = await call(readDeadLetterRequest, { id }, { signal });
      if (request.state === 'done')
        for (const queryKey of [['dead-letters'], ['feeds'], ['settled']]) void client.invalidateQueries({ queryKey });
      return request;
    },
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : everyMs),
  });
  return (
    <section className="note stack-tight" aria-live="polite">
      <QueryResult query={shown}>
        {({ action, state, lastError, results }) => (
          <>
            <p>
              <strong>{strings.actions[action]}</strong>: {strings.progress[state]}
              {state !== 'done' && ` · ${strings.soFar(results.length, deadLetters.length)}`}
            </p>
            {lastError !== null && state !== 'done' && (
              <p>▲ {lastError.startsWith('Kafka') ? strings.kafkaUnreachable : strings.retrying}</p>
            )}
            {state === 'waiting' && lastError === null && Date.now() - requestedMs > takenWithinMs && (
              <p>▲ {strings.ingestUnavailable}</p>
            )}
            <ul>
              {groupResults(results).map(({ result, reason, detail, count }) => (
                <li key={`${result} ${reason} ${detail}`} className="row">
                  <Status level={good.has(result) ? 'good' : 'warn'}>
                    {count} × {strings.results[result]}
                  </Status>
                  <ResultReason labels={labels} reason={reason} detail={detail} />
                </li>
              ))}
            </ul>
            {results.length > 1 && (
              <details>
                <summary>{strings.eachRecord}</summary>
                <ul>
                  {results.map(({ deadLetterId, result, reason, detail }) => (
                    <li key={deadLetterId} className="row">
                      <code>{placeOf(deadLetters, deadLetterId)}</code>
                      <Status level={good.has(result) ? 'good' : 'warn'}>{strings.results[result]}</Status>
                      <ResultReason labels={labels} reason={reason} detail={detail} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </QueryResult>
    </section>
  );
}

type Result = DeadLetterRequest['results'][number];

function ResultReason({
  labels,
  reason,
  detail,
}: { labels: ReturnType<typeof useLabels> } & Pick<Result, 'reason' | 'detail'>) {
  const parts = [
    reason === null ? null : reasonLabel(labels, reason),
    detail === null ? null : escapeInvisible(detail),
  ];
  const text = parts.filter(Boolean).join(': ');
  return text === '' ? null : <span className="muted">{text}</span>;
}

function placeOf(deadLetters: readonly DeadLetter[], id: string): string {
  const deadLetter = deadLetters.find((one) => one.id === id);
  if (deadLetter === undefined) return id;
  const { topic, partition, offset, element } = deadLetter;
  return `${topic}/${partition}@${offset}${element < 0 ? '' : `#${element}`}`;
}

/** Results grouped by outcome, with counts. */
function groupResults(results: readonly Result[]): readonly (Omit<Result, 'deadLetterId'> & { count: number })[] {
  const ends = new Map<string, Omit<Result, 'deadLetterId'> & { count: number }>();
  for (const { result, reason, detail } of results) {
    const place = JSON.stringify([result, reason, detail]);
    ends.set(place, { result, reason, detail, count: (ends.get(place)?.count ?? 0) + 1 });
  }
  return [...ends.values()];
}
