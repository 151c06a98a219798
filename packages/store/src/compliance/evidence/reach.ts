import { type AccountablePerson, accountable, accountableAccounts, accountableColumns } from './accountable.ts';
import {
  agentInteractions,
  agentNames,
  agentsOfWindow,
  entityNames,
  findInteractions,
  personNames,
} from './agent-queries.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { restrictions } from './restrictions.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';
import { appsOfWindow } from './third-party-apps.ts';

export interface AiReach extends AccountablePerson {
  subjectType: 'app' | 'agent';
  subjectId: string;
  subjectName: string;
  facts: Readonly<Record<string, unknown>>;
  /** As the platform counted it, else of the files that name it; null where neither says anything. */
  files: number | null;
  sensitiveFiles: number | null;
  labeledFiles: number | null;
  protectedFiles: number | null;
  sites: number | null;
  dataTypes: readonly { id: string; name: string | null; files: number | null }[] | null;
  restrictedTypes: readonly { id: string; level: string }[] | null;
  observedFiles: number;
  computedMs: number;
  stampMs: number;
}

/**
 * Apps that are AI, and agents, with the data they reach. What the platform counted is believed before what is counted here: files that name those
 * who reach them may be the notable ones only.
 */
export async function readAiReach(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<AiReach>> {
  const { to } = bounds(reading);
  const interactions = await findInteractions(reading);
  return readSectionRows<AiReach>(
    reading,
    {
      parts: [
        agentNames(reading),
        entityNames(reading, 'app'),
        entityNames(reading, 'site'),
        agentsOfWindow(reading),
        appsOfWindow(reading),
        personNames(reading),
        agentInteractions(interactions),
        restrictions(reading),
        ...subjects(reading, interactions),
        accountableAccounts(reading, 'subject'),
      ],
      rows: `
        select s.type as "subjectType", s.id as "subjectId", s.name as "subjectName",
               coalesce((s.facts->>'fileReachCount')::bigint, h.files)::float8 as files,
               coalesce((s.facts->>'sensitiveFileReachCount')::bigint, h.sensitive)::float8 as "sensitiveFiles",
               coalesce(o.files, 0)::float8 as "observedFiles"
          from subject s
          left join accessible h on h.type = s.type and h.id = s.id
          left join observed o on o.type = s.type and o.id = s.id
         where greatest((s.facts->>'fileReachCount')::bigint, h.files, o.files) > 0`,
      columns: [
        'g.facts',
        `coalesce((g.facts->>'labeledFileReachCount')::bigint, h.labeled)::float8 as "labeledFiles"`,
        `coalesce((g.facts->>'protectedFileReachCount')::bigint, h.protected)::float8 as "protectedFiles"`,
        `coalesce((g.facts->>'siteReachCount')::bigint, h.sites)::float8 as sites`,
        'types.list as "dataTypes"',
        `(select jsonb_agg(distinct jsonb_build_object('id', r.type_id, 'level', r.level)) from restriction r
           where coalesce(r.ended_at > ${to}, true) and r.type_key in (select lower(one->>'id') from jsonb_array_elements(types.list) one)) as "restrictedTypes"`,
        ...accountableColumns,
        `coalesce(${epochMilliseconds(`(g.facts->>'reachComputedAt')::timestamptz(3)`)}, ${epochMilliseconds('greatest(g.updated_at, h.stamp)')}) as "computedMs"`,
        `${epochMilliseconds('greatest(g.updated_at, h.stamp, person.stamp)')} as "stampMs"`,
      ],
      joins: [
        'join subject g on g.type = p."subjectType" and g.id = p."subjectId"',
        'left join accessible h on h.type = p."subjectType" and h.id = p."subjectId"',
        dataTypes,
        accountable('subject'),
      ],
      order: [
        { column: 'sensitiveFiles', type: 'number', isDescending: true },
        { column: 'subjectType', type: 'text' },
        { column: 'subjectId', type: 'text' },
      ],
    },
    page,
  );
}

/** Who may reach data, what files say of who reaches them, and what was seen opened in the window. Files are sensitive and labeled as the rules have it. */
function subjects(reading: EvidenceQuery, interactions: string): readonly string[] {
  const { tenant } = bounds(reading);
  return [
    `subject as materialized (
      select 'agent' as type, a.id, coalesce(a.name, a.id) as name, a.facts, a.updated_at from living_agent a
      union all
      select 'app', a.id, a.name, a.facts, a.updated_at from living_app a where a.facts->'isAiApp' = 'true')`,
    `reached as materialized (
      select r->>'type' as type, coalesce(n.id, p.id, r->>'id') as subject_id, f.id, coalesce(s.id, f.facts->>'siteId') as site_id, f.facts, f.updated_at
        from models.entity_fact f cross join jsonb_array_elements(f.facts->'aiReach') r
        left join agent_name n on r->>'type' = 'agent' and n.alias = models.lower_case(r->>'id')
        left join app_name p on r->>'type' = 'app' and p.alias = models.lower_case(r->>'id')
        left join site_name s on s.alias = models.lower_case(f.facts->>'siteId')
       where f.tenant_id = ${tenant} and f.kind = 'file' and not f.is_deleted and jsonb_path_exists(f.facts, '$.aiReach[0]'))`,
    `accessible as materialized (
      select r.type, r.subject_id as id, count(distinct r.id) as files,
             count(distinct r.id) filter (where jsonb_path_exists(r.facts, '$.sensitiveInfoTypes[0]') or jsonb_path_exists(r.facts, '$.sensitiveInfoTypeCount ? (@ > 0)')) as sensitive,
             count(distinct r.id) filter (where coalesce(nullif(r.facts->>'sensitivityLabelId', ''), nullif(r.facts->>'sensitivityLabelName', '')) is not null) as labeled,
             count(distinct r.id) filter (where r.facts->'isProtected' = 'true') as protected,
             count(distinct r.site_id) as sites, max(r.updated_at) as stamp
        from reached r group by 1, 2)`,
    `accessible_type as materialized (
      select r.type, r.subject_id as id, one->>'id' as type_id, max(one->>'name') as name, count(distinct r.id) as files
        from reached r cross join jsonb_array_elements(r.facts->'sensitiveInfoTypes') one
       where jsonb_path_exists(r.facts, '$.sensitiveInfoTypes[0]') and one->>'id' is not null group by 1, 2, 3)`,
    `observed as materialized (
      select 'agent' as type, i.agent_id as id, count(distinct name) as files
        from interaction i cross join unnest(i.opened) name group by 2
      union all
      select 'app', n.id, count(distinct opened.name)
        from (select l.client_id, l.opened from ${interactions} and l.agent_id is null and l.opened <> '{}') l
        join app_name n on n.alias = models.lower_case(l.client_id)
       cross join unnest(l.opened) opened (name) group by 2)`,
  ];
}

/** Kinds of sensitive information the subject `g` reaches: as told of it, else of the files. */
const dataTypes = `left join lateral (
  select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'files', t.files) order by t.id collate "C") as list
    from (select one->>'id' as id, one->>'name' as name, (one->>'fileCount')::bigint as files
            from jsonb_array_elements(case when g.type = 'agent' then g.facts->'sensitiveInfoTypes' else g.facts->'aiReach' end) one
           where one->>'id' is not null
          union all
          select t.type_id, t.name, t.files from accessible_type t
           where t.type = g.type and t.id = g.id
             and not jsonb_path_exists(coalesce(case when g.type = 'agent' then g.facts->'sensitiveInfoTypes' else g.facts->'aiReach' end, '[]'), '$[0]')) t) types on true`;
