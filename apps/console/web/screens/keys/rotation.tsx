import type { KeyDetail } from '../../asked.ts';
import { number, useLanguage } from '../../words/words.tsx';
import { Hours } from './hours.tsx';
import { hasEnded, isSilent, requestsIn } from './key-use.ts';

type Detailed = KeyDetail['key'];

/** Both keys' traffic side by side: whether the old one can go is seen, not guessed. */
export function Rotation({ old, fresh, revoke }: { old: Detailed; fresh: Detailed; revoke: () => void }) {
  const { words, language } = useLanguage();
  const { rotation, traffic, revokeOld } = words.keys;
  const isOver = hasEnded(old);
  const isUsed = fresh.requests > 0;
  const isSafe = isUsed && isSilent(old);
  const done = [true, true, isUsed, isOver];
  const row = (key: Detailed, name: string) => (
    <div className="stack-tight">
      <div className="row apart">
        <strong>{name}</strong>
        <span className="small muted">{traffic(number(language, requestsIn(key, 48)))}</span>
      </div>
      <Hours of={key} words={`${key.name}: ${words.keys.hours}`} isTitled={false} />
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
          <p>{isSafe ? rotation.safe : isUsed ? rotation.wait : rotation.none}</p>
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
