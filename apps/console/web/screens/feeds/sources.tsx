import { useState } from 'react';
import type { Source } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { Status } from '../../parts/status.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { isExpected, SourceGaps, SourceName, SourceState } from './source-labels.tsx';

/** When each source of each tenant last sent data. With several tenants each is collapsed; silent sources are counted on its summary line. */
export function Sources({ sources, otherTenants }: { sources: readonly Source[]; otherTenants: number }) {
  const { feeds: strings } = useLabels();
  const { tenants } = useCurrentUser();
  const byTenant = [...Map.groupBy(sources, ({ tenantId }) => tenantId)];
  const nameOf = (id: string) => tenants.find((tenant) => tenant.id === id)?.name ?? id;
  return (
    <section className="stack-tight" aria-labelledby="sources">
      <h2 id="sources">{strings.sources}</h2>
      {sources.length === 0 && <p className="muted">{strings.noSources}</p>}
      {byTenant.map(([tenantId, own]) => (
        <TenantSources
          key={`${tenantId} ${byTenant.length}`}
          tenant={nameOf(tenantId)}
          sources={own}
          isFirstOpen={byTenant.length === 1}
        />
      ))}
      {otherTenants > 0 && <p className="muted">{strings.otherTenants(otherTenants)}</p>}
    </section>
  );
}

interface TenantSourcesProps {
  readonly tenant: string;
  readonly sources: readonly Source[];
  readonly isFirstOpen: boolean;
}

/** Rendered only while it is open: its times are updated every second. */
function TenantSources({ tenant, sources, isFirstOpen }: TenantSourcesProps) {
  const { feeds: strings } = useLabels();
  const [isOpen, setOpen] = useState(isFirstOpen);
  return (
    <details className="fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="row">
          <strong>{tenant}</strong>
          <Summary of={sources} />
        </span>
      </summary>
      {isOpen && <SourceTable sources={sources} caption={strings.sourcesTitle(tenant)} />}
    </details>
  );
}

function Summary({ of: sources }: { of: readonly Source[] }) {
  const { feeds: strings } = useLabels();
  const silent = sources.filter(({ state }) => state === 'silent').length;
  const missing = sources.filter(isExpected).length;
  const last = sources
    .map(({ lastOccurredAt }) => lastOccurredAt ?? '')
    .sort()
    .at(-1);
  return (
    <>
      <span className="muted">{strings.sourceCount(sources.length)}</span>
      {last && (
        <span className="muted">
          {strings.lastEvent} <Timestamp at={last} isShort />
        </span>
      )}
      {silent > 0 && <Status level="bad">{strings.silentCount(silent)}</Status>}
      {missing > 0 && <Status level="warn">{strings.missingCount(missing)}</Status>}
    </>
  );
}

const worstFirst = { silent: 0, missing: 1, quiet: 2, heard: 3 } as const;

function SourceTable({ sources, caption }: { sources: readonly Source[]; caption: string }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  const sorted = sources.toSorted((one, other) => worstFirst[one.state] - worstFirst[other.state]);
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.source}</th>
            <th scope="col">{strings.state}</th>
            <th scope="col">{strings.lastEvent}</th>
            <th scope="col">{strings.lastSeen}</th>
            <th scope="col">{strings.lastImport}</th>
            <th scope="col">{strings.gaps}</th>
            <th scope="col" className="number">
              {strings.rows}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((source) => (
            <tr key={source.source}>
              <th scope="row">
                <SourceName of={source} />
              </th>
              <td data-name={strings.state}>
                <SourceState of={source} />
              </td>
              <td data-name={strings.lastEvent}>
                {source.lastOccurredAt === null ? '–' : <Timestamp at={source.lastOccurredAt} />}
              </td>
              <td data-name={strings.lastSeen}>
                {source.lastDiscoveredAt === null ? '–' : <Timestamp at={source.lastDiscoveredAt} />}
              </td>
              <td data-name={strings.lastImport}>
                {source.importedAt === null ? '–' : <Timestamp at={source.importedAt} />}
              </td>
              <td data-name={strings.gaps}>
                <SourceGaps of={source} />
              </td>
              <td data-name={strings.rows} className="number">
                {number(language, source.rows)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
