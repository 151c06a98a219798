import type { Source } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import type { Labels } from '../../labels/en.ts';
import { number, utc } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { Status } from '../../parts/status.tsx';

/** The label of a source; an unknown source is shown by its name. */
function sourceLabel({ feeds }: Labels, source: string): string {
  const names = feeds.sourceNames as Readonly<Record<string, string>>;
  const part = source.startsWith('logs/') ? feeds.logsSource(source.slice('logs/'.length)) : source;
  return names[source] ?? part;
}

export function SourceName({
  of: { source, tenantId, isUnlisted },
  hasTenant = false,
}: {
  of: Source;
  hasTenant?: boolean;
}) {
  const labels = useLabels();
  const { tenants } = useCurrentUser();
  const tenant = tenants.find(({ id }) => id === tenantId)?.name ?? tenantId;
  return (
    <span className="named">
      <span>
        {hasTenant && tenants.length > 1 && `${tenant}: `}
        {sourceLabel(labels, source)}
      </span>
      <code className="small muted">{source}</code>
      {isUnlisted && <span className="small">{labels.feeds.unlisted}</span>}
    </span>
  );
}

/** Whether an enabled collector has not delivered anything yet. */
export const isExpected = ({ state, isEnabled }: Source): boolean => state === 'missing' && isEnabled !== false;

/** A source that is silent says so in labels; one that is quiet is not late. */
export function SourceState({ of: source }: { of: Source }) {
  const { feeds: strings } = useLabels();
  const { state, heardAt } = source;
  if (heardAt === null || state === 'missing')
    return isExpected(source) ? (
      <Status level="warn">{strings.noRecords}</Status>
    ) : (
      <Status level="unknown">{strings.collectorDisabled}</Status>
    );
  if (state === 'silent') return <Status level="bad">{strings.silentSince(utc(heardAt))}</Status>;
  if (state === 'quiet') return <Status level="unknown">{strings.quietSince(utc(heardAt))}</Status>;
  return <Status level="good">{strings.active}</Status>;
}

/** The newest gap with its reason. Without a collector's report nothing is known about gaps. */
export function SourceGaps({ of: { gaps } }: { of: Source }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  if (gaps === null) return <span className="muted">{strings.gapsUnknown}</span>;
  const newest = gaps.toSorted((one, other) => one.to.localeCompare(other.to)).at(-1);
  if (!newest) return strings.noGaps;
  return (
    <span className="stack-tight">
      <Status level="warn">{number(language, gaps.length)}</Status>
      <span className="small muted">{`${utc(newest.from)} – ${utc(newest.to)}`}</span>
      {newest.reason && (
        <span className="small muted" lang="en">
          {newest.reason}
        </span>
      )}
    </span>
  );
}
