import type { Feeds } from '../../asked.ts';
import { Time } from '../../parts/time.tsx';
import { useMe, useTenant } from '../../shell.tsx';
import { number, useLanguage } from '../../words/words.tsx';

/** When each source of each tenant was last heard of. */
export function Sources({ sources: every }: { sources: Feeds['sources'] }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  const { tenants } = useMe();
  const only = useTenant();
  const sources = only === null ? every : every.filter(({ tenantId }) => tenantId === only.id);
  const nameOf = new Map(tenants.map(({ id, name }) => [id, name]));
  if (sources.length === 0) return <p className="muted">{said.noSource}</p>;
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{said.sources}</caption>
        <thead>
          <tr>
            <th scope="col">{said.tenant}</th>
            <th scope="col">{said.source}</th>
            <th scope="col">{said.lastEvent}</th>
            <th scope="col">{said.lastSeen}</th>
            <th scope="col" className="number">
              {said.rows}
            </th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ tenantId, source, lastOccurredAt, lastDiscoveredAt, rowCount }) => (
            <tr key={`${tenantId} ${source}`}>
              <td data-name={said.tenant}>{nameOf.get(tenantId) ?? tenantId}</td>
              <td data-name={said.source}>
                <code>{source}</code>
              </td>
              <td data-name={said.lastEvent}>{lastOccurredAt === null ? '–' : <Time at={lastOccurredAt} />}</td>
              <td data-name={said.lastSeen}>
                <Time at={lastDiscoveredAt} />
              </td>
              <td data-name={said.rows} className="number">
                {number(language, rowCount)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
