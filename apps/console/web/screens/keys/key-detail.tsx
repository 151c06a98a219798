import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatKeyId, type KeyDetail as KeyDetailAnswer, readKey } from '../../../api/keys.ts';
import { call } from '../../client/api-client.ts';
import { useMemberNames } from '../../client/member-names.ts';
import { formatActor } from '../../format-actor.ts';
import { dayAndTime, number, utc } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { DetailPanel } from '../../parts/detail-panel.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { DailyUsage } from './daily-usage.tsx';
import { EditKey } from './edit-key.tsx';
import { hasEnded } from './key-usage.ts';
import { NewKey } from './lazy-new-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { Rotation } from './rotation.tsx';

type DetailedKey = KeyDetailAnswer['key'];
type Show = (id: string | undefined) => void;

const everyMs = 5_000;

/** One key at the side of the list, which stays. */
export function KeyDetail({ id, show }: { id: string; show: Show }) {
  const { labels } = useLanguage();
  const shown = useQuery({
    queryKey: ['key', id],
    queryFn: ({ signal }) => call(readKey, { id }, { signal }),
    refetchInterval: everyMs,
  });
  return (
    <DetailPanel label={labels.keys.detail} close={() => show(undefined)}>
      <QueryResult query={shown}>{(data) => <KeyDetailBody of={data} show={show} />}</QueryResult>
    </DetailPanel>
  );
}

function KeyDetailBody({ of: { key, replaced }, show }: { of: KeyDetailAnswer; show: Show }) {
  const { keys: strings } = useLabels();
  const [open, setOpen] = useState<'rotate' | 'change' | 'revoke' | 'revoke old' | null>(null);
  const close = () => setOpen(null);
  const isOver = hasEnded(key);
  const isOurs = key.kind === 'api';
  return (
    <>
      <div className="stack-tight">
        <h2>{escapeInvisible(key.name)}</h2>
        <code className="muted">{formatKeyId(key)}</code>
      </div>
      {isOver && (
        <p className="note">
          {key.revokedAt ? strings.revoked(utc(key.revokedAt)) : strings.expired(utc(key.expiresAt ?? ''))}
        </p>
      )}
      {replaced && <Rotation old={replaced} fresh={key} revoke={() => setOpen('revoke old')} />}
      <DailyUsage of={key} />
      <Facts of={key} show={show} />
      <Callers title={strings.callers} callers={key.callers} />
      <Callers title={strings.rejectedCallers} callers={key.rejectedCallers} />
      <details>
        <summary>
          {strings.scopesTitle}: {strings.scopes(key.scopes.length)}
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
              {strings.tryInPlayground}
            </Link>
            <button type="button" onClick={() => setOpen('rotate')}>
              {strings.rotate}
            </button>
          </>
        )}
        {isOurs && (
          <button type="button" onClick={() => setOpen('change')}>
            {strings.edit}
          </button>
        )}
        <Link
          className="button"
          to="/audit"
          search={{ subject: 'api_key', id: key.id, from: key.createdAt.slice(0, 10) }}
        >
          {strings.history}
        </Link>
        {isOurs && !isOver && (
          <button type="button" className="danger" onClick={() => setOpen('revoke')}>
            {strings.revoke}
          </button>
        )}
      </div>
      {open === 'rotate' && <NewKey replaces={key} close={close} onCreated={show} />}
      {open === 'change' && <EditKey of={key} close={close} />}
      {open === 'revoke' && <RevokeKey of={key} close={close} />}
      {open === 'revoke old' && replaced && <RevokeKey of={replaced} close={close} />}
    </>
  );
}

function Facts({ of: key, show }: { of: DetailedKey; show: Show }) {
  const { labels, language } = useLanguage();
  const { keys: strings } = labels;
  const creator = useMemberNames().get(key.createdBy ?? '') ?? null;
  return (
    <dl className="facts">
      <dt>{strings.access}</dt>
      <dd>
        {key.tenantId === null ? <strong>{strings.wholeOrganization}</strong> : escapeInvisible(key.tenantName ?? '')}
      </dd>
      <dt>{strings.lastUsed}</dt>
      <dd>{key.lastUsedAt === null ? strings.neverUsed : <Timestamp at={key.lastUsedAt} />}</dd>
      <dt>{strings.requests}</dt>
      <dd>{number(language, key.requests)}</dd>
      <dt>{strings.refused}</dt>
      <dd>{strings.in14Days(number(language, total(key.days, 'refused')))}</dd>
      <dt>{strings.overLimit}</dt>
      <dd>{strings.in14Days(number(language, total(key.days, 'overLimit')))}</dd>
      {(hasEnded(key) || key.refusedAfterEnd > 0) && (
        <>
          <dt>{strings.refusedAfterEnd}</dt>
          <dd>{number(language, key.refusedAfterEnd)}</dd>
        </>
      )}
      <dt>{strings.expires}</dt>
      <dd>{key.expiresAt === null ? `∞ ${strings.noExpiry}` : dayAndTime(language, key.expiresAt)}</dd>
      <dt>{strings.created}</dt>
      <dd>
        <Timestamp at={key.createdAt} />
      </dd>
      <dt>{strings.createdBy}</dt>
      <dd>{formatActor(labels, key.createdBy ?? 'cli:', creator)}</dd>
      {key.replacedBy !== null && (
        <>
          <dt>{strings.replacedBy}</dt>
          <dd>
            <button type="button" className="plain" onClick={() => show(key.replacedBy ?? undefined)}>
              {strings.openNewer}
            </button>
          </dd>
        </>
      )}
    </dl>
  );
}

/** From where it was used, and by what. */
function Callers({ title, callers }: { title: string; callers: DetailedKey['callers'] }) {
  if (callers.length === 0) return null;
  return (
    <div className="stack-tight">
      <h3>{title}</h3>
      <ul className="stack-tight">
        {callers.map(({ address, agent, lastUsedAt }) => (
          <li key={`${address} ${agent}`} className="row apart">
            <span className="caller">
              <code>{address}</code> {agent}
            </span>
            <span className="small muted">
              <Timestamp at={lastUsedAt} isShort />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const total = (days: DetailedKey['days'], of: 'refused' | 'overLimit'): number =>
  days.reduce((sum, day) => sum + day[of], 0);
