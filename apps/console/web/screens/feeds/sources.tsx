import type { Source } from '../../asked.ts';
import { useMe } from '../../frame/signed.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage, useWords } from '../../words/words.tsx';
import { SourceName, SourceState } from './source-name.tsx';

/** When each source of each tenant was last heard of. Of several tenants each is folded, and what is silent shows all the same. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  const { feeds: said } = useWords();
  const { tenants } = useMe();
  const byTenant = [...Map.groupBy(sources, ({ tenantId }) => tenantId)];
  const nameOf = (id: string) => tenants.find((tenant) => tenant.id === id)?.name ?? id;
  return (
    <section className="stack-tight" aria-labelledby="sources">
      <h2 id="sources">{said.sources}</h2>
      {sources.length === 0 && <p className="muted">{said.noSource}</p>}
      {byTenant.map(([tenantId, own]) => (
        <details key={tenantId} className="fold" open={byTenant.length === 1}>
          <summary>
            <span className="row">
              <strong>{nameOf(tenantId)}</strong>
              <Summary of={own} />
            </span>
          </summary>
          <SourceTable sources={own} caption={said.sourcesOf(nameOf(tenantId))} />
        </details>
      ))}
    </section>
  );
}

function Summary({ of: sources }: { of: readonly Source[] }) {
  const { feeds: said } = useWords();
  const silent = sources.filter(({ state }) => state === 'silent').length;
  const last = sources
    .map(({ lastOccurredAt }) => lastOccurredAt ?? '')
    .sort()
    .at(-1);
  return (
    <>
      <span className="muted">{said.sourceCount(sources.length)}</span>
      {last && (
        <span className="muted">
          {said.lastEvent} <Time at={last} isShort />
        </span>
      )}
      {silent > 0 && <Status standing="bad">{said.silentCount(silent)}</Status>}
    </>
  );
}

const worstFirst = { silent: 0, quiet: 1, heard: 2 } as const;

function SourceTable({ sources, caption }: { sources: readonly Source[]; caption: string }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  const sorted = sources.toSorted((one, other) => worstFirst[one.state] - worstFirst[other.state]);
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{said.source}</th>
            <th scope="col">{said.state}</th>
            <th scope="col">{said.lastEvent}</th>
            <th scope="col">{said.lastSeen}</th>
            <th scope="col" className="number">
              {said.rows}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((source) => (
            <tr key={source.source}>
              <th scope="row">
                <SourceName of={source} />
              </th>
              <td data-name={said.state}>
                <SourceState of={source} />
              </td>
              <td data-name={said.lastEvent}>
                {source.lastOccurredAt === null ? '–' : <Time at={source.lastOccurredAt} />}
              </td>
              <td data-name={said.lastSeen}>
                <Time at={source.lastDiscoveredAt} />
              </td>
              <td data-name={said.rows} className="number">
                {number(language, source.rowCount)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
