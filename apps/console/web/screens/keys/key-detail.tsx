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
import { moment, number, useLanguage, utc } from '../../words/words.tsx';
import { Hours } from './hours.tsx';
import { hasEnded, shownId } from './key-use.ts';
import { NewKey } from './new-key.tsx';
import { Revoke } from './revoke.tsx';
import { Rotation } from './rotation.tsx';

const everyMs = 5_000;

/** One key at the side of the list, which stays. */
export function KeyDetail({ id, show }: { id: string; show: (id: string | undefined) => void }) {
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

function Shown({ of: { key, replaced }, show }: { of: KeyDetailAnswer; show: (id: string | undefined) => void }) {
  const { words, language } = useLanguage();
  const { keys: said } = words;
  const [open, setOpen] = useState<'rotate' | 'revoke' | 'revoke old' | null>(null);
  const close = () => setOpen(null);
  const isOver = hasEnded(key);
  const creator = useNames().get(key.createdBy ?? '') ?? null;
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
      {!replaced && <Hours of={key} words={said.hours} />}
      <dl className="facts">
        <dt>{said.reads}</dt>
        <dd>{key.tenantId === null ? <strong>{said.whole}</strong> : key.tenantName}</dd>
        <dt>{said.lastUsed}</dt>
        <dd>{key.lastUsedAt === null ? said.never : <Time at={key.lastUsedAt} />}</dd>
        <dt>{said.requests}</dt>
        <dd>{number(language, key.requests)}</dd>
        <dt>{said.refused}</dt>
        <dd>{number(language, total(key.days, 'refused'))}</dd>
        <dt>{said.overLimit}</dt>
        <dd>{number(language, total(key.days, 'overLimit'))}</dd>
        {(isOver || key.refusedAfterEnd > 0) && (
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
        {key.lastAddress !== null && (
          <>
            <dt>{said.address}</dt>
            <dd>
              <code>{key.lastAddress}</code>
            </dd>
          </>
        )}
        {key.lastAgent !== null && (
          <>
            <dt>{said.agent}</dt>
            <dd>{key.lastAgent}</dd>
          </>
        )}
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
      {isOurs && !isOver && (
        <div className="row">
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
          <button type="button" className="danger" onClick={() => setOpen('revoke')}>
            {said.revoke}
          </button>
        </div>
      )}
      {open === 'rotate' && <NewKey replaces={key} close={close} made={show} />}
      {open === 'revoke' && <Revoke of={key} close={close} />}
      {open === 'revoke old' && replaced && <Revoke of={replaced} close={close} />}
    </>
  );
}

const total = (days: KeyDetailAnswer['key']['days'], of: 'refused' | 'overLimit'): number =>
  days.reduce((sum, day) => sum + day[of], 0);
