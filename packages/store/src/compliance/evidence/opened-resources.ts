import { unfinishedBackfill } from '../metrics/clause/log-tally.ts';
import { agentNames, interactionsOfWindow } from './agent-queries.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds, planInBulk } from './section-rows.ts';

/** How many different files and other resources the interactions with an agent opened. */
export interface OpenedResources {
  accessedResources: number | null;
  /** Null while the reads of older rows are being written. */
  sensitiveResources: number | null;
}

export const nothingOpened: OpenedResources = { accessedResources: null, sensitiveResources: null };

/** By the agent's id in lower case, and by the empty text for interactions whose record names none. */
export async function readOpenedResources(reading: EvidenceQuery): Promise<ReadonlyMap<string, OpenedResources>> {
  await planInBulk(reading.client);
  const { rows } = await reading.client.query<OpenedResources & { agentId: string | null }>(
    `with ${[agentNames(reading), openedResources(reading), sensitiveFiles(reading)].join(',\n')}
     select resource.agent_id as "agentId", count(*)::int as "accessedResources",
            case when not exists (${unfinishedBackfill('file')}) then (count(*) filter (where resource.is_labelled or f.alias is not null))::int end as "sensitiveResources"
       from resource left join sensitive_file f on f.alias = resource.alias
      group by resource.agent_id`,
  );
  return new Map(rows.map(({ agentId, ...opened }) => [agentId ?? '', opened]));
}

/** What the interactions of an agent opened, by its name. */
function openedResources(reading: EvidenceQuery): string {
  return `logged_resource as materialized (
    select o.agent_id, coalesce(o.resource->>'id', o.resource->>'name') as name, bool_or(o.resource->>'labelId' is not null) as is_labelled
      from (select l.agent_id, jsonb_array_elements(l.facts->'resources') as resource
              from ${interactionsOfWindow(reading)} and jsonb_typeof(l.facts->'resources') = 'array') o group by 1, 2),
  resource as materialized (
    select models.lower_case(coalesce(a.id, o.agent_id)) as agent_id, models.lower_case(o.name) as alias, bool_or(o.is_labelled) as is_labelled
      from logged_resource o left join agent_name a on a.alias = models.lower_case(o.agent_id) where o.name is not null group by 1, 2)`;
}

/**
 * Files with sensitive information by those of their names that were opened. Names and ids are one value each, by which an index is searched: a join reads all
 * names, a million of 500,000 files.
 */
function sensitiveFiles(reading: EvidenceQuery): string {
  const { tenant } = bounds(reading);
  const sensitive = `models.file_exposure f where f.tenant_id = ${tenant} and f.is_sensitive`;
  return `opened as materialized (
    select distinct alias from resource),
  opened_alias as materialized (
    select a.alias, a.id from models.entity_alias a
     where a.tenant_id = ${tenant} and a.kind = 'file' and a.alias = any (array(select alias from opened))),
  sensitive_file as materialized (
    select lower(f.id) as alias from ${sensitive} and lower(f.id) in (select alias from opened)
    union select a.alias from opened_alias a
           where a.id in (select f.id from ${sensitive} and f.id = any (array(select id from opened_alias))))`;
}
