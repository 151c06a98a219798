import { dayMs } from '@tenantscope/contract/durations';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatKeyId, type Key } from '../../../api/keys.ts';
import { useDataTime } from '../../client/data-time.ts';
import { day, utc } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { BarChart, fillBuckets } from '../../parts/bar-chart.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { daysLeft } from './expiry.ts';

const soonMs = 30 * dayMs;
const scopesShown = 2;

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly chosen: string | undefined;
  readonly show: (id: string) => void;
}

export function KeyTable({ keys, chosen, show }: KeyTableProps) {
  const { keys: strings } = useLabels();
  return (
    <div className="scroll">
      <table className="cards keys">
        <caption className="hidden">{strings.table}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.name}</th>
            <th scope="col">{strings.access}</th>
            <th scope="col">{strings.lastUsed}</th>
            <th scope="col">{strings.expires}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} isChosen={key.id === chosen} show={show} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeyRowProps {
  readonly of: Key;
  readonly isChosen: boolean;
  readonly show: (id: string) => void;
}

function KeyRow({ of: key, isChosen, show }: KeyRowProps) {
  const { labels } = useLanguage();
  const { keys: strings } = labels;
  return (
    <tr aria-current={isChosen ? 'true' : undefined}>
      <th scope="row">
        <span className="named">
          <button type="button" className="plain" onClick={() => show(key.id)}>
            {escapeInvisible(key.name)}
          </button>
          <code className="muted">{formatKeyId(key)}</code>
        </span>
      </th>
      <td data-name={strings.access}>
        <span>
          {key.tenantId === null ? <strong>{strings.wholeOrganization}</strong> : escapeInvisible(key.tenantName ?? '')}
          <br />
          <Scopes scopes={key.scopes} />
        </span>
      </td>
      <td data-name={strings.lastUsed}>
        <span className="stack-tight">
          <UsageCell days={key.days} />
          <span className="small muted" title={key.lastUsedAt ?? undefined}>
            {key.lastUsedAt === null ? strings.neverUsed : <RelativeTime at={key.lastUsedAt} />}
          </span>
        </span>
      </td>
      <td data-name={strings.expires}>
        <ExpiryCell of={key} />
      </td>
    </tr>
  );
}

function UsageCell({ days }: { days: Key['days'] }) {
  const { labels } = useLanguage();
  const { keys: strings } = labels;
  const bars = fillBuckets(days, 14, dayMs, useDataTime()).map(({ at, bucket }) => ({
    label: strings.dayUsage(at.slice(0, 10), bucket?.requests ?? 0),
    value: bucket?.requests ?? 0,
  }));
  return <BarChart bars={bars} label={strings.last14Days} />;
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { keys: strings } = useLabels();
  if (scopes.length === 0) return <span className="small muted">{strings.noScope}</span>;
  const rest = scopes.length - scopesShown;
  return (
    <span className="small muted" title={scopes.join(', ')}>
      {scopes.slice(0, scopesShown).join(', ')} {rest > 0 && strings.andMore(rest)}
    </span>
  );
}

function ExpiryCell({ of: key }: { of: Key }) {
  const { labels, language } = useLanguage();
  const { keys: strings } = labels;
  if (key.revokedAt !== null) return <span>{strings.revoked(utc(key.revokedAt))}</span>;
  if (key.expiresAt === null) return <span>∞ {strings.noExpiry}</span>;
  const leftMs = Date.parse(key.expiresAt) - Date.now();
  if (leftMs <= 0) return <span>{strings.expired(utc(key.expiresAt))}</span>;
  const isSoon = leftMs < soonMs;
  return (
    <span>
      <span className={isSoon ? 'status-warn' : ''}>
        {isSoon && '▲ '}
        {labels.ago.daysLeft(daysLeft(key.expiresAt, Date.now()))}
      </span>
      <br />
      <span className="small muted" title={key.expiresAt}>
        {day(language, key.expiresAt)}
      </span>
    </span>
  );
}
