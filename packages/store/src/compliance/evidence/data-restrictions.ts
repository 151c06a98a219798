import { fileReads } from '../metrics/clause/file-reads.ts';
import { oldestArrival, unfinishedBackfill } from '../metrics/clause/log-tally.ts';
import { withoutNestedLoops } from '../metrics/nested-loops.ts';
import { agentNames, entityNames, personNames } from './agent-queries.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { carriers, restrictions } from './restrictions.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface DataRestriction {
  restrictionId: string;
  declaredMs: number;
  level: string;
  /** As the producer told it. */
  facts: Readonly<Record<string, unknown>>;
  /** The sensitive information type as it stands. */
  typeFacts: Readonly<Record<string, unknown>> | null;
  typeUpdatedMs: number | null;
  carrierCount: number | null;
  /** Of the carriers, those under a protecting label; null where none is reported. */
  protectedCount: number | null;
  /** Null where none was read. */
  reads: CarrierReads | null;
  /** Whether the tenant has a log, and its reads are counted. */
  hasLog: boolean;
  topReaders: readonly RestrictedDataReader[] | null;
  stampMs: number;
}

export interface CarrierReads {
  total: number;
  users: number;
  externalUsers: number;
  aiIdentities: number;
  lastReadMs: number | null;
}

export interface RestrictedDataReader {
  id: string;
  name: string | null;
  type: string | null;
  reads: number;
  lastReadMs: number;
}

/** Restrictions of data that were in force in the window, what they expose, and who read what since each was declared. */
export function readDataRestrictions(
  reading: EvidenceQuery,
  page: EvidencePage,
): Promise<OrderedRows<DataRestriction>> {
  return withoutNestedLoops(reading.client, () => readRestrictionRows(reading, page));
}

function readRestrictionRows(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<DataRestriction>> {
  const { tenant, storedThrough } = bounds(reading);
  return readSectionRows<DataRestriction>(
    reading,
    {
      parts: [
        agentNames(reading),
        entityNames(reading, 'app'),
        personNames(reading),
        restrictions(reading),
        carriers(reading),
        readsOfCarriers(reading),
      ],
      rows: `select r.record_id as "restrictionId", ${epochMilliseconds('r.declared_at')} as "declaredMs", r.level, r.type_key, r.facts, ${epochMilliseconds('r.stamp')} as "stampMs" from restriction r`,
      columns: [
        't.facts as "typeFacts"',
        `${epochMilliseconds('t.updated_at')} as "typeUpdatedMs"`,
        `case when not exists (${unfinishedBackfill('file')}) then carriers."carrierCount" end as "carrierCount"`,
        'carriers."protectedCount"',
        `case when not exists (${readBackfill}) then summed.reads end as reads`,
        `coalesce(${oldestArrival(tenant)} <= ${storedThrough}, false) and not exists (${readBackfill}) as "hasLog"`,
        `case when not exists (${readBackfill}) then most."topReaders" end as "topReaders"`,
      ],
      joins: [
        `left join (select distinct on (lower(id)) lower(id) as type_key, facts, updated_at from models.entity_fact
           where tenant_id = ${tenant} and kind = 'sensitiveInfoType' and not is_deleted order by lower(id), id) t on t.type_key = p.type_key`,
        `left join (select c.type_key, count(*)::float8 as "carrierCount", nullif(count(c.is_protected), 0) * (count(*) filter (where c.is_protected))::float8 / nullif(count(c.is_protected), 0) as "protectedCount"
           from carrier c group by c.type_key) carriers on carriers.type_key = p.type_key`,
        `left join (select r.restriction_id, jsonb_build_object('total', sum(r.reads), 'users', count(*) filter (where r.reader_type in ('user', 'guest', 'partner', 'anonymous', 'unknown') and not r.is_external and r.reader_id is not null),
             'externalUsers', count(*) filter (where r.is_external), 'aiIdentities', count(*) filter (where r.is_ai), 'lastReadMs', ${epochMilliseconds('max(r.last_at)')}) as reads
           from reader r group by r.restriction_id) summed on summed.restriction_id = p."restrictionId"`,
        `left join (select r.restriction_id, jsonb_agg(jsonb_build_object('id', r.reader_id, 'name', r.name, 'type', r.reader_type, 'reads', r.reads, 'lastReadMs', ${epochMilliseconds('r.last_at')})
             order by r.reads desc, r.reader_id, r.reader_type) as "topReaders"
           from (select *, row_number() over (partition by restriction_id order by reads desc, reader_id, reader_type) as place from reader where reader_id is not null) r
          where r.place <= ${topReadersMax} group by r.restriction_id) most on most.restriction_id = p."restrictionId"`,
      ],
      order: [
        { column: 'declaredMs', type: 'time' },
        { column: 'restrictionId', type: 'text' },
      ],
    },
    page,
  );
}

const topReadersMax = 20;

/** Rows that were written before their reads were, and files that are older than their exposure, are being read. */
const readBackfill = unfinishedBackfill('read', 'file');

/**
 * Who read carriers since each restriction was declared, up to the end of the window: in the log by people and programs, and through an
 * assistant by the agent, else by the person who asked it.
 */
function readsOfCarriers(reading: EvidenceQuery): string {
  const { tenant, to, storedThrough } = bounds(reading);
  const from = `(select min(declared_at) from restriction)`;
  return `${fileReads({ files: 'carrier_name', tenant, from, to, where: `l.discovered_at <= ${storedThrough}` })},
  read_carrier as materialized (
    select r.restriction_id, case when l.is_interaction then coalesce(l.agent_id, l.actor_id) else l.actor_id end as actor_id,
           max((case when l.is_interaction and l.agent_id is not null then 'agent' else l.actor_type end) collate "C") as actor_type,
           count(*)::int as reads, max(l.occurred_at) as last_at
      from (select distinct * from file_read) l join restricted_file r on r.file = l.file and l.occurred_at between r.from_at and r.to_at
     group by 1, 2, l.is_interaction),
  reader as materialized (
    select read.*, coalesce(u.facts->>'displayName', n.facts->>'displayName', a.facts->>'displayName') as name,
           -- A program that is not classified may be AI.
           read.reader_type in ${programs} and (n.id is not null or (a.facts->>'isAiApp')::boolean is not false) as is_ai,
           read.reader_id is not null and read.reader_type not in ${programs} and read.reader_type not in ('system', 'policy')
             and coalesce(u.facts->'isExternal' = 'true', read.reader_type in ('guest', 'partner')) as is_external
      from (select l.restriction_id, coalesce(w.id, g.id, p.id, l.actor_id) as reader_id, coalesce(max(l.actor_type collate "C"), 'unknown') as reader_type,
                   sum(l.reads)::int as reads, max(l.last_at) as last_at
              from read_carrier l
              left join person_name w on l.actor_type not in ${programs} and w.alias = models.lower_case(l.actor_id)
              left join agent_name g on l.actor_type in ${programs} and g.alias = models.lower_case(l.actor_id)
              left join app_name p on l.actor_type in ${programs} and p.alias = models.lower_case(l.actor_id)
             group by 1, 2) read
      left join models.entity_fact u on u.tenant_id = ${tenant} and u.kind = 'user' and u.id = read.reader_id
      left join models.entity_fact n on n.tenant_id = ${tenant} and n.kind = 'agent' and n.id = read.reader_id
      left join models.entity_fact a on a.tenant_id = ${tenant} and a.kind = 'app' and a.id = read.reader_id)`;
}

/** Identities that stand for no user. */
const programs = `('agent', 'application', 'servicePrincipal')`;
