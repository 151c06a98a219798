import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { actorName } from '../../actor-name.ts';
import { ask } from '../../ask.ts';
import type { KeyDetail as KeyDetailAnswer } from '../../asked.ts';
import { useNames } from '../../names.ts';
import { Asked } from '../../parts/asked.tsx';
import { Detail } from '../../parts/detail.tsx';
import { Time } from '../../parts/time.tsx';
import { moment, number, useLanguage, useWords, utc } from '../../words/words.tsx';
import { ChangeKey } from './change-key.tsx';
import { Days } from './days.tsx';
import { hasEnded, shownId } from './key-use.ts';
import { NewKey } from './new-key.tsx';
import { Revoke } from './revoke.tsx';
import { Rotation } from './rotation.tsx';

type Detailed = KeyDetailAnswer['key'];
type Show = (id: string | undefined) => void;

const everyMs = 5_000;

/** One key at the side of the list, which stays. */
export function KeyDetail({ id, show }: { id: string; show: Show }) {
  const { words } = useLanguage();
  const shown = useQuery({
    queryKey: ['key', id],
    queryFn: ({ signal }) => ask<KeyDetailAnswer>(`/keys/${id}`, signal),
    refetchInterval: everyMs,
  });
  return (
    <Detail label={words.keys.detail} close={() => show(undefined)}>
      <Asked query={shown}>{(answer) => <Shown of={answer} show={show} />}</Asked>
    </Detail>
  );
}

function Shown({ of: { key, replaced }, show }: { of: KeyDetailAnswer; show: Show }) {
  const { keys: said } = useWords();
  const [open, setOpen] = useState<'rotate' | 'change' | 'revoke' | 'revoke old' | null>(null);
  const close = () => setOpen(null);
  const isOver = hasEnded(key);
  const isOurs = key.kind === 'api';
  return (
    <>
      <div className="stack-tight">
        <h2>{key.name}</h2>
        <code className="muted">{shownId(key)}</code>
      </div>
      {isOver && (
        <p className="note">
          {key.revokedAt ? said.revoked(utc(key.revokedAt)) : said.expired(utc(key.expiresAt ?? ''))}
        </p>
      )}
      {replaced && <Rotation old={replaced} fresh={key} revoke={() => setOpen('revoke old')} />}
      <Days of={key} />
      <Facts of={key} show={show} />
      <Callers of={key} />
      <details>
        <summary>
          {said.scopesTitle}: {said.scopes(key.scopes.length)}
        </summary>
        <ul>
          {key.scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </details>
      <div className="row">
        {isOurs && !isOver && (
          <>
            <Link
              className="button"
              to="/playground"
              search={{ as: key.id, ...(key.tenantId ? { tenant: key.tenantId } : {}) }}
            >
              {said.play}
            </Link>
            <button type="button" onClick={() => setOpen('rotate')}>
              {said.rotate}
            </button>
          </>
        )}
        {isOurs && (
          <button type="button" onClick={() => setOpen('change')}>
            {said.change}
          </button>
        )}
        <Link
          className="button"
          to="/audit"
          search={{ subject: 'api_key', id: key.id, from: key.createdAt.slice(0, 10) }}
        >
          {said.history}
        </Link>
        {isOurs && !isOver && (
          <button type="button" className="danger" onClick={() => setOpen('revoke')}>
            {said.revoke}
          </button>
        )}
      </div>
      {open === 'rotate' && <NewKey replaces={key} close={close} made={show} />}
      {open === 'change' && <ChangeKey of={key} close={close} />}
      {open === 'revoke' && <Revoke of={key} close={close} />}
      {open === 'revoke old' && replaced && <Revoke of={replaced} close={close} />}
    </>
  );
}

function Facts({ of: key, show }: { of: Detailed; show: Show }) {
  const { words, language } = useLanguage();
  const { keys: said } = words;
  const creator = useNames().get(key.createdBy ?? '') ?? null;
  return (
    <dl className="facts">
      <dt>{said.reads}</dt>
      <dd>{key.tenantId === null ? <strong>{said.whole}</strong> : key.tenantName}</dd>
      <dt>{said.lastUsed}</dt>
      <dd>{key.lastUsedAt === null ? said.never : <Time at={key.lastUsedAt} />}</dd>
      <dt>{said.requests}</dt>
      <dd>{number(language, key.requests)}</dd>
      <dt>{said.refused}</dt>
      <dd>{said.inDays(number(language, total(key.days, 'refused')))}</dd>
      <dt>{said.overLimit}</dt>
      <dd>{said.inDays(number(language, total(key.days, 'overLimit')))}</dd>
      {(hasEnded(key) || key.refusedAfterEnd > 0) && (
        <>
          <dt>{said.afterEnd}</dt>
          <dd>{number(language, key.refusedAfterEnd)}</dd>
        </>
      )}
      <dt>{said.expires}</dt>
      <dd>{key.expiresAt === null ? `∞ ${said.noExpiry}` : moment(language, key.expiresAt)}</dd>
      <dt>{said.created}</dt>
      <dd>
        <Time at={key.createdAt} />
      </dd>
      <dt>{said.createdBy}</dt>
      <dd>{actorName(words, key.createdBy ?? 'cli:', creator)}</dd>
      {key.replacedBy !== null && (
        <>
          <dt>{said.replacedBy}</dt>
          <dd>
            <button type="button" className="plain" onClick={() => show(key.replacedBy ?? undefined)}>
              {said.openNewer}
            </button>
          </dd>
        </>
      )}
    </dl>
  );
}

/** From where it was used, and by what. */
function Callers({ of: key }: { of: Detailed }) {
  const { keys: said } = useWords();
  const { callers } = key;
  if (callers.length === 0) return null;
  return (
    <div className="stack-tight">
      <h3>{said.callers}</h3>
      <ul className="stack-tight">
        {callers.map(({ address, agent, lastUsedAt }) => (
          <li key={`${address} ${agent}`} className="row apart">
            <span className="caller">
              <code>{address}</code> {agent}
            </span>
            <span className="small muted">
              <Time at={lastUsedAt} isShort />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const total = (days: Detailed['days'], of: 'refused' | 'overLimit'): number =>
  days.reduce((sum, day) => sum + day[of], 0);
