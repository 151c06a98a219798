import { escapeInvisible } from '../../../api/escape-invisible.ts';
import type { KeyDetail } from '../../../api/keys.ts';
import { useDataTime } from '../../client/data-time.ts';
import { dayAndTime, number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { useRelativeTime } from '../../parts/time.tsx';
import { HourlyUsage } from './hourly-usage.tsx';
import { countRequests, hasEnded, isIdle } from './key-usage.ts';

type Detailed = KeyDetail['key'];

/** Both keys' traffic side by side: whether the old one can go is seen, not guessed. */
export function Rotation({ old, fresh, revoke }: { old: Detailed; fresh: Detailed; revoke: () => void }) {
  const { labels, language } = useLanguage();
  const { rotation, traffic, revokeOld, neverUsed: never } = labels.keys;
  const isOver = hasEnded(old);
  const dataMs = useDataTime();
  const formatAgo = useRelativeTime();
  const isUsed = fresh.requests > 0;
  const isSafe = isUsed && isIdle(old, dataMs);
  // The secret was shown once, and the dialog was held until it was stored.
  const done = [true, true, isUsed, isOver];
  const scale = Math.max(...[fresh, old].flatMap(({ hours }) => hours.map(({ requests }) => requests)), 1);
  const row = (key: Detailed, name: string) => (
    <div className="stack-tight">
      <div className="row apart">
        <strong>{name}</strong>
        <span className="small muted">{traffic(number(language, countRequests(key, 48, dataMs)))}</span>
      </div>
      <HourlyUsage of={key} label={`${escapeInvisible(key.name)}: ${labels.keys.last48Hours}`} scale={scale} />
      <span className="small muted">
        {key.lastUsedAt === null ? never : rotation.lastUsed(formatAgo(key.lastUsedAt))}
      </span>
    </div>
  );
  return (
    <section className="note stack" aria-label={rotation.title}>
      <h3>{rotation.title}</h3>
      <ol className="steps">
        {rotation.steps.map((step, index) => (
          <li key={step}>
            <span aria-hidden="true">{done[index] ? '✓' : '○'}</span>
            <span className={done[index] ? '' : 'muted'}>{step}</span>
          </li>
        ))}
      </ol>
      {row(fresh, rotation.new)}
      {row(old, rotation.old)}
      {!isOver && (
        <>
          {isSafe && <p>{rotation.safe}</p>}
          {!isUsed && <p>{rotation.notUsedYet}</p>}
          {!isIdle(old, dataMs) && <UsageWarning of={old} />}
          {old.expiresAt !== null && (
            <p className="small muted">{rotation.expiresOn(dayAndTime(language, old.expiresAt))}</p>
          )}
          <div>
            <button type="button" className={isSafe ? 'primary' : 'danger'} onClick={revoke}>
              {revokeOld}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

/** What would be refused from now on. */
function UsageWarning({ of: old }: { of: Detailed }) {
  const { labels } = useLanguage();
  const { rotation } = labels.keys;
  const [last] = old.callers;
  const from = [last?.address, last?.agent].filter(Boolean).join(', ');
  const requests = countRequests(old, 24, useDataTime());
  return <p>{rotation.stillInUse(requests, useRelativeTime()(old.lastUsedAt ?? ''), from)}</p>;
}
