import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readSettled } from '../../../api/feeds.ts';
import { call } from '../../client/api-client.ts';
import { span, timeOfDay } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Status } from '../../parts/status.tsx';
import { useTenant } from '../current-user.ts';
import { useUnreachable } from './connection-status.ts';

const settledEveryMs = 2_000;
/** Longer than twice the database timeout of the server: the browser may queue the request behind others. */
const timeoutMs = 6_000;

/** Dead letters are those of the chosen tenant. */
export function useSettled() {
  const tenantId = useTenant()?.id;
  return useQuery({
    queryKey: ['settled', tenantId],
    queryFn: ({ signal }) => call(readSettled, { tenantId }, { signal, timeoutMs }),
    refetchInterval: settledEveryMs,
    staleTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
}

/** How far the data is settled. Without a response it shows that this is unknown, never an old value. */
export function SettledStatus() {
  const { labels, language } = useLanguage();
  const { data, isError } = useSettled();
  const unreachable = useUnreachable();
  const line = () => {
    if (unreachable !== null)
      return <Status level="unknown">{labels.frame.unknown(labels.states.components[unreachable])}</Status>;
    if (isError || !data) return <Status level="unknown">…</Status>;
    if (!data.apiResponds && data.settledTo !== null)
      return <Status level="bad">{labels.frame.apiUnreachable(timeOfDay(data.settledTo))}</Status>;
    const { state, feeds, isEveryFeed, lateMs } = data.overall;
    if (state === 'unproven' || data.settledTo === null) return <Status level="bad">{labels.frame.unproven}</Status>;
    const [first, ...others] = feeds.map((feed) => labels.feeds.names[feed]);
    const affected = isEveryFeed ? labels.frame.everyFeed : labels.frame.feedAndOthers(first ?? '', others.length);
    if (state === 'stalled') return <Status level="bad">{labels.frame.stalled(affected)}</Status>;
    if (state === 'late') return <Status level="warn">{labels.frame.late(affected, span(language, lateMs))}</Status>;
    return <Status level="good">{labels.frame.settled(timeOfDay(data.settledTo))}</Status>;
  };
  return (
    <Link to="/feeds" className="settled">
      {line()}
    </Link>
  );
}
