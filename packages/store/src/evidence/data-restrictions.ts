import { agentNames, personNames } from './known-agents.ts';
import type { EvidencePage, EvidenceReading, OrderedRows } from './ordered.ts';
import { carriers, restrictions } from './restrictions.ts';
import { bounds, msOf, readSectionRows } from './section-rows.ts';

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
  /** Of the carriers, those under a protecting label; null where nobody told of any. */
  protectedCount: number | null;
  reads: ReadsOfCarriers | null;
  topReaders: readonly Reader[] | null;
  stampMs: number;
}

export interface ReadsOfCarriers {
  total: number;
  users: number;
  externalUsers: number;
  aiIdentities: number;
  lastReadMs: number | null;
}

export interface Reader {
  id: string;
  name: string | null;
  type: string | null;
  reads: number;
  lastReadMs: number;
}

/** Restrictions of data that were in force in the window, what they expose, and who read what since each was declared. */
export function readDataRestrictions(
  reading: EvidenceReading,
  page: EvidencePage,
): Promise<OrderedRows<DataRestriction>> {
  const { tenant } = bounds(reading);
  return readSectionRows<DataRestriction>(
    reading,
    {
      parts: [
        agentNames(reading),
        personNames(reading),
        restrictions(reading),
        carriers(reading),
        readsOfCarriers(reading),
      ],
      rows: `select r.record_id as "restrictionId", ${msOf('r.declared_at')} as "declaredMs", r.level, r.type_id, r.facts, ${msOf('r.stamp')} as "stampMs" from restriction r`,
      columns: [
        't.facts as "typeFacts"',
        `${msOf('t.updated_at')} as "typeUpdatedMs"`,
        'held."carrierCount"',
        'held."protectedCount"',
        'summed.reads',
        'most."topReaders"',
      ],
      joins: [
        `left join models.entity_fact t on t.tenant_id = ${tenant} and t.kind = 'sensitiveInfoType' and t.id = p.type_id and not t.is_deleted`,
        `left join (select c.type_id, count(*)::float8 as "carrierCount", nullif(count(c.is_protected), 0) * (count(*) filter (where c.is_protected))::float8 / nullif(count(c.is_protected), 0) as "protectedCount"
           from carrier c group by c.type_id) held on held.type_id = p.type_id`,
        `left join (select r.restriction_id, jsonb_build_object('total', sum(r.reads), 'users', count(*) filter (where r.reader_type in ('user', 'guest', 'partner', 'anonymous', 'unknown') and not r.is_external and r.reader_id is not null),
             'externalUsers', count(*) filter (where r.is_external), 'aiIdentities', count(*) filter (where r.is_ai), 'lastReadMs', ${msOf('max(r.last_at)')}) as reads
           from reader r group by r.restriction_id) summed on summed.restriction_id = p."restrictionId"`,
        `left join (select r.restriction_id, jsonb_agg(jsonb_build_object('id', r.reader_id, 'name', r.name, 'type', r.reader_type, 'reads', r.reads, 'lastReadMs', ${msOf('r.last_at')})
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

/** Operations that show a file's content to somebody, in lower case as the log keeps them: Microsoft's, then Google's. */
const readingActions = [
  'fileaccessed',
  'fileaccessedextended',
  'filepreviewed',
  'filedownloaded',
  'filesyncdownloadedfull',
  'filesyncdownloadedpartial',
  'filecopied',
  'view',
  'download',
  'copy',
  'print',
];

/**
 * Who read carriers since each restriction was declared, up to the end of the window: in the log by people and programs, and through an
 * assistant by the agent, else by the person who asked it. One pass over the log: what is no reading of a carrier falls out of a hash join.
 */
function readsOfCarriers(reading: EvidenceReading): string {
  const { tenant, to, known } = bounds(reading);
  const since = `(select min(declared_at) from restriction)`;
  return `reading as materialized (
    select l.resource_id, l.actor_id, l.actor_type, l.occurred_at from models.audit_log l
     where l.tenant_id = ${tenant} and l.action in (${readingActions.map((action) => `'${action}'`).join(', ')})
       and l.discovered_at >= ${since} - interval '48 hours' and l.discovered_at <= ${known}
       and l.occurred_at >= ${since} and l.occurred_at <= ${to} and l.resource_id is not null),
  reading_by_ai as materialized (
    select distinct l.log_id, coalesce(touched->>'id', touched->>'name') as resource_id, coalesce(l.agent_id, l.actor_id) as actor_id,
           case when l.agent_id is null then l.facts->>'actorType' else 'agent' end as actor_type, l.occurred_at
      from models.log_fact l cross join jsonb_array_elements(l.facts->'resources') touched
     where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and jsonb_path_exists(l.facts, '$.resources[0]')
       and l.occurred_at >= ${since} and l.occurred_at <= ${to} and l.discovered_at <= ${known}),
  reader as materialized (
    select counted.restriction_id, counted.reader_id, counted.reader_type, counted.reads, counted.last_at,
           coalesce(u.facts->>'displayName', n.facts->>'displayName', a.facts->>'displayName') as name, counted.reader_type in ${programs} as is_ai,
           counted.reader_id is not null and counted.reader_type not in ${programs} and counted.reader_type not in ('system', 'policy')
             and coalesce(u.facts->'isExternal' = 'true', counted.reader_type in ('guest', 'partner')) as is_external
      from (select r.record_id as restriction_id, coalesce(w.id, g.id, l.actor_id) as reader_id, coalesce(max(l.actor_type collate "C"), 'unknown') as reader_type, count(*)::int as reads, max(l.occurred_at) as last_at
              from (select resource_id, actor_id, actor_type, occurred_at from reading union all select resource_id, actor_id, actor_type, occurred_at from reading_by_ai) l
              join carrier_name c on c.alias = lower(l.resource_id)
              join restriction r on r.type_id = c.type_id and l.occurred_at >= r.declared_at and (r.ended_at is null or l.occurred_at <= r.ended_at)
              left join person_name w on l.actor_type not in ${programs} and w.alias = lower(l.actor_id)
              left join agent_name g on l.actor_type in ${programs} and g.alias = lower(l.actor_id)
             group by 1, 2) counted
      left join models.entity_fact u on u.tenant_id = ${tenant} and u.kind = 'user' and u.id = counted.reader_id
      left join models.entity_fact n on n.tenant_id = ${tenant} and n.kind = 'agent' and n.id = counted.reader_id
      left join models.entity_fact a on a.tenant_id = ${tenant} and a.kind = 'app' and a.id = counted.reader_id)`;
}

/** Identities that are nobody. */
const programs = `('agent', 'application', 'servicePrincipal')`;
