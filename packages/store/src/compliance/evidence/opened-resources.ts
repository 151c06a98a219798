import { unfinishedBackfill } from '../metrics/clause/log-tally.ts';
import { agentNames } from './agent-queries.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds, planInBulk } from './section-rows.ts';

/** How many different files and other resources the interactions with an agent opened. */
export interface OpenedResources {
  accessedResources: number;
  /** Null while the reads of older rows are being written. */
  sensitiveResources: number | null;
}

export const nothingOpened: OpenedResources = { accessedResources: 0, sensitiveResources: 0 };

/** By the agent's id in lower case, and by the empty text for interactions whose record names none. */
export async function readOpenedResources(
  reading: EvidenceQuery,
  interactions: string,
): Promise<ReadonlyMap<string, OpenedResources>> {
  await planInBulk(reading.client);
  const { rows } = await reading.client.query<OpenedResources & { agentId: string }>(
    `with ${[agentNames(reading), openedResources(interactions), sensitiveNames(reading)].join(',\n')}
     select accessed.agent_id as "agentId", accessed.resources as "accessedResources",
            case when not exists (${unfinishedBackfill('file')}) then accessed.resources - coalesce(other.resources, 0) end as "sensitiveResources"
       from (select r.agent_id, count(*)::int as resources from resource r group by 1) accessed
       left join (select r.agent_id, count(*)::int as resources from resource r
                   where not r.is_labeled and not exists (select from sensitive_name s where s.name = r.name) group by 1) other using (agent_id)`,
  );
  return new Map(rows.map(({ agentId, ...opened }) => [agentId, opened]));
}

/** What the interactions of an agent opened, by digests of names. */
function openedResources(interactions: string): string {
  return `logged_agent as materialized (
    select coalesce(g.agent_id, '') as name, coalesce(models.lower_case(coalesce(a.id, g.agent_id)), '') as id
      from (select distinct l.agent_id from ${interactions}) g left join agent_name a on a.alias = models.lower_case(g.agent_id)),
  resource as materialized (
    select o.agent_id, o.name, bool_or(o.name = any (o.labeled)) as is_labeled
      from (select g.id as agent_id, unnest(l.opened) as name, l.labeled
              from (select l.agent_id, l.opened, l.labeled from ${interactions} and l.opened <> '{}') l join logged_agent g on g.name = coalesce(l.agent_id, '')) o
     group by 1, 2)`;
}

/** Digests of the names of files with sensitive information. Of files whose types of it are not reported they are not stored. */
function sensitiveNames(reading: EvidenceQuery): string {
  const { tenant } = bounds(reading);
  return `sensitive_file as materialized (
    select case when f.types = '{}' then f.id end as untyped_id, f.name_digests from models.file_exposure f where f.tenant_id = ${tenant} and f.is_sensitive),
  sensitive_name as (
    select unnest(name_digests) as name from sensitive_file
    union all select models.digest_name(untyped_id) from sensitive_file where untyped_id is not null
    union all select models.digest_name(a.alias) from models.entity_alias a
               where a.tenant_id = ${tenant} and a.kind = 'file' and a.id = any (array(select untyped_id from sensitive_file where untyped_id is not null)))`;
}
