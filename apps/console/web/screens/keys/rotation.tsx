import type { KeyDetail } from '../../asked.ts';
import { useOfMs } from '../../of.ts';
import { useAgo } from '../../parts/time.tsx';
import { moment, number, useLanguage } from '../../words/words.tsx';
import { Hours } from './hours.tsx';
import { hasEnded, isSilent, requestsIn } from './key-use.ts';

type Detailed = KeyDetail['key'];

/** Both keys' traffic side by side: whether the old one can go is seen, not guessed. */
export function Rotation({ old, fresh, revoke }: { old: Detailed; fresh: Detailed; revoke: () => void }) {
  const { words, language } = useLanguage();
  const { rotation, traffic, revokeOld, never } = words.keys;
  const isOver = hasEnded(old);
  const ofMs = useOfMs();
  const agoOf = useAgo();
  const isUsed = fresh.requests > 0;
  const isSafe = isUsed && isSilent(old, ofMs);
  // The secret was shown once, and the dialog was held until it was stored.
  const done = [true, true, isUsed, isOver];
  const scale = Math.max(...[fresh, old].flatMap(({ hours }) => hours.map(({ requests }) => requests)), 1);
  const row = (key: Detailed, name: string) => (
    <div className="stack-tight">
      <div className="row apart">
        <strong>{name}</strong>
        <span className="small muted">{traffic(number(language, requestsIn(key, 48, ofMs)))}</span>
      </div>
      <Hours of={key} words={`${key.name}: ${words.keys.hours}`} scale={scale} />
      <span className="small muted">{key.lastUsedAt === null ? never : rotation.last(agoOf(key.lastUsedAt))}</span>
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
          {!isUsed && <p>{rotation.none}</p>}
          {!isSilent(old, ofMs) && <Breaks of={old} />}
          {old.expiresAt !== null && <p className="small muted">{rotation.ends(moment(language, old.expiresAt))}</p>}
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
function Breaks({ of: old }: { of: Detailed }) {
  const { words, language } = useLanguage();
  const { rotation } = words.keys;
  const [last] = old.callers;
  const from = [last?.address, last?.agent].filter(Boolean).join(', ');
  const requests = number(language, requestsIn(old, 24, useOfMs()));
  return <p>{rotation.wait(requests, useAgo()(old.lastUsedAt ?? ''), from)}</p>;
}
