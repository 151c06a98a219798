import type { Key } from '../../asked.ts';
import { useOfMs } from '../../of.ts';
import { Bars, filled } from '../../parts/bars.tsx';
import { Ago } from '../../parts/time.tsx';
import { day, inDays, number, useLanguage, useWords, utc } from '../../words/words.tsx';
import { shownId } from './key-use.ts';

const dayMs = 86_400_000;
const soonMs = 30 * dayMs;
const scopesShown = 2;

export interface KeyTableGiven {
  readonly keys: readonly Key[];
  readonly chosen: string | undefined;
  readonly show: (id: string) => void;
}

export function KeyTable({ keys, chosen, show }: KeyTableGiven) {
  const { keys: said } = useWords();
  return (
    <div className="scroll">
      <table className="cards keys">
        <caption className="hidden">{said.table}</caption>
        <KeyHead />
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} of={key} isChosen={key.id === chosen} show={show} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function KeyHead() {
  const { keys: said } = useWords();
  return (
    <thead>
      <tr>
        <th scope="col">{said.name}</th>
        <th scope="col">{said.reads}</th>
        <th scope="col">{said.lastUsed}</th>
        <th scope="col">{said.expires}</th>
      </tr>
    </thead>
  );
}

interface KeyRowGiven {
  readonly of: Key;
  readonly isChosen: boolean;
  readonly show: (id: string) => void;
  /** Its place among all rows, where not all are drawn. */
  readonly place?: number;
  readonly measure?: (row: HTMLTableRowElement | null) => void;
}

export function KeyRow({ of: key, isChosen, show, place, measure }: KeyRowGiven) {
  const { words } = useLanguage();
  const { keys: said } = words;
  return (
    <tr
      aria-current={isChosen ? 'true' : undefined}
      aria-rowindex={place === undefined ? undefined : place + 2}
      data-index={place}
      ref={measure}
    >
      <th scope="row">
        <span className="named">
          <button type="button" className="plain" onClick={() => show(key.id)}>
            {key.name}
          </button>
          <code className="muted">{shownId(key)}</code>
        </span>
      </th>
      <td data-name={said.reads}>
        <span>
          {key.tenantId === null ? <strong>{said.whole}</strong> : key.tenantName}
          <br />
          <Scopes scopes={key.scopes} />
        </span>
      </td>
      <td data-name={said.lastUsed}>
        <span className="stack-tight">
          <Days days={key.days} />
          <span className="small muted" title={key.lastUsedAt ?? undefined}>
            {key.lastUsedAt === null ? said.never : <Ago at={key.lastUsedAt} />}
          </span>
        </span>
      </td>
      <td data-name={said.expires}>
        <Ends of={key} />
      </td>
    </tr>
  );
}

function Days({ days }: { days: Key['days'] }) {
  const { words, language } = useLanguage();
  const { keys: said } = words;
  const bars = filled(days, 14, dayMs, useOfMs()).map(({ at, bucket }) => ({
    label: said.day(at.slice(0, 10), number(language, bucket?.requests ?? 0)),
    value: bucket?.requests ?? 0,
  }));
  return <Bars bars={bars} words={said.days} />;
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { keys: said } = useWords();
  if (scopes.length === 0) return <span className="small muted">{said.noScope}</span>;
  const rest = scopes.length - scopesShown;
  return (
    <span className="small muted" title={scopes.join(', ')}>
      {scopes.slice(0, scopesShown).join(', ')} {rest > 0 && said.more(rest)}
    </span>
  );
}

function Ends({ of: key }: { of: Key }) {
  const { words, language } = useLanguage();
  const { keys: said } = words;
  if (key.revokedAt !== null) return <span>{said.revoked(utc(key.revokedAt))}</span>;
  if (key.expiresAt === null) return <span>∞ {said.noExpiry}</span>;
  const leftMs = Date.parse(key.expiresAt) - Date.now();
  if (leftMs <= 0) return <span>{said.expired(utc(key.expiresAt))}</span>;
  const isSoon = leftMs < soonMs;
  return (
    <span>
      <span className={isSoon ? 'status-warn' : ''}>
        {isSoon && '▲ '}
        {inDays(words, key.expiresAt)}
      </span>
      <br />
      <span className="small muted" title={key.expiresAt}>
        {day(language, key.expiresAt)}
      </span>
    </span>
  );
}
