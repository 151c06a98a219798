import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../ask.ts';
import type { Settled } from '../asked.ts';
import { Status } from '../parts/status.tsx';
import { clock, span, useLanguage } from '../words/words.tsx';
import { useSilent } from './beating.ts';

const settledEveryMs = 2_000;
/** Longer than its server waits for a database twice: the browser may hold a question back behind others. */
const patienceMs = 6_000;

export const useSettled = () =>
  useQuery({
    queryKey: ['settled'],
    queryFn: ({ signal }) => ask<Settled>('/settled', signal, patienceMs),
    refetchInterval: settledEveryMs,
    staleTime: 0,
    retry: false,
  });

/** Old numbers are never shown as new: without an answer the line says that it does not know. */
export function SettledLine() {
  const { words, language } = useLanguage();
  const { data, isError } = useSettled();
  const silent = useSilent();
  const line = () => {
    if (silent !== null) return <Status standing="unknown">{words.frame.unknown(words.states.who[silent])}</Status>;
    if (isError || !data) return <Status standing="unknown">…</Status>;
    if (!data.apiAnswers && data.settledTo !== null)
      return <Status standing="bad">{words.frame.apiSilent(clock(data.settledTo))}</Status>;
    if (data.state === 'unproven' || data.settledTo === null)
      return <Status standing="bad">{words.frame.unproven}</Status>;
    if (data.worst)
      return (
        <Status standing="warn">
          {data.worst.standsStill
            ? words.feeds.standsStill(words.feeds.names[data.worst.feed])
            : words.frame.late(words.feeds.names[data.worst.feed], span(language, data.worst.lagMs))}
        </Status>
      );
    return <Status standing="good">{words.frame.settled(clock(data.settledTo))}</Status>;
  };
  return (
    <Link to="/feeds" className="settled">
      {line()}
    </Link>
  );
}
