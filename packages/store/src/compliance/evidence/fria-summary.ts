import { oldestArrival } from '../metrics/clause/log-tally.ts';
import { accountable, accountableAccounts } from './accountable.ts';
import { agentNames, agentsOfWindow, findInteractions, humanTypes, isExternal, personNames } from './agent-queries.ts';
import { attestationsInForce } from './attestations.ts';
import { riskClasses } from './fria-systems.ts';
import { incidents, isOpenDetection } from './incidents.ts';
import type { EvidenceQuery } from './ordered.ts';
import { restrictions } from './restrictions.ts';
import { bounds, epochMilliseconds, planInBulk } from './section-rows.ts';

/** A count with the newest stamp of the facts it is based on; what rests on no fact at all is null. */
export interface Counted<Value = number> {
  readonly value: Value | null;
  readonly asOfMs: number | null;
}

/** The organization as a whole. Null values are not known, as against zero. */
export interface FriaFacts {
  systems: Counted;
  classified: Counted;
  highRisk: Counted;
  /** Of the systems, those with an accountable person whose account is enabled. */
  overseen: Counted;
  restrictions: Counted<Readonly<Record<'monitored' | 'noAiAccess' | 'noAccess', number>>>;
  detectors: Counted;
  incidents: Counted;
  openIncidents: Counted;
  externalUsers: Counted;
  /** When the oldest row of the log that is kept was discovered, epoch ms. */
  oldestLog: Counted;
  fria: Counted<boolean>;
}

/** The facts behind the questions about the organization as a whole. */
export async function readFriaFacts(
  reading: EvidenceQuery,
  validityDays: Readonly<Record<'ai.attest.fria', number>>,
): Promise<FriaFacts> {
  const { tenant, to, storedThrough } = bounds(reading);
  await planInBulk(reading.client);
  const counted = (name: string, value: string, stamp: string, source: string): string =>
    `(select jsonb_build_object('value', ${value}, 'asOfMs', ${epochMilliseconds(stamp)}) from ${source}) as "${name}"`;
  const { rows } = await reading.client.query<FriaFacts>(
    `with ${[
      agentNames(reading),
      humanUses(await findInteractions(reading)),
      'actor as materialized (select distinct models.lower_case(u.actor_id) as alias from human_use u where u.actor_id is not null)',
      personNames(reading, 'actor'),
      agentsOfWindow(reading),
      accountableAccounts(reading, 'living_agent'),
      ...incidents(reading),
      countedIncidents(to),
      restrictions(reading),
      riskClasses(reading),
      attestationsInForce(reading, validityDays),
      `system as materialized (
        select g.id, k.class, greatest(k.stamp, g.updated_at) as class_stamp, k.stamp as class_set_at, g.updated_at, person.enabled, person.stamp as person_stamp
          from living_agent g left join risk_class k on k.agent_id = g.id ${accountable('living_agent')})`,
      // Restrictions as the period ended, each type once, by its severest level.
      `restricted_type as materialized (
        select r.type_key, max(array_position(array['monitored', 'noAiAccess', 'noAccess'], r.level)) as level from restriction r
         where r.ended_at is null or r.ended_at > ${to} group by r.type_key)`,
      `detector as materialized (
        select c.facts->'enabled' = 'true' and exists (select from jsonb_array_elements_text(c.facts->'entityTypes') type where type in ('agent', 'aiApp')) as is_active, c.updated_at
          from models.compliance_record c where c.tenant_id = ${tenant} and c.kind = 'detector' and c.updated_at <= ${storedThrough})`,
      `watched as materialized (
        select exists (select from models.source_status s where s.tenant_id = ${tenant} and s.source in ('logs', 'detections', 'security_alerts')) as is_monitored)`,
    ].join(',\n')}
    select ${[
      counted('systems', 'nullif(count(*), 0)', 'max(s.updated_at)', 'system s'),
      counted(
        'classified',
        "case when count(s.class_set_at) > 0 then count(*) filter (where s.class <> 'unclassified') end",
        'max(s.class_set_at)',
        'system s',
      ),
      counted(
        'highRisk',
        "case when count(s.class_set_at) > 0 then count(*) filter (where s.class = 'high') end",
        'max(s.class_set_at)',
        'system s',
      ),
      counted(
        'overseen',
        'case when count(*) > 0 then count(*) filter (where s.enabled) end',
        'greatest(max(s.updated_at), max(s.person_stamp))',
        'system s',
      ),
      counted(
        'restrictions',
        `case when count(*) > 0 then (select jsonb_build_object('monitored', count(*) filter (where t.level = 1), 'noAiAccess', count(*) filter (where t.level = 2), 'noAccess', count(*) filter (where t.level = 3)) from restricted_type t) end`,
        'max(r.updated_at)',
        `models.agent_evidence r where r.tenant_id = ${tenant} and r.kind in ('restriction', 'restrictionEvent') and r.happened_at <= ${to} and r.updated_at <= ${storedThrough}`,
      ),
      counted(
        'detectors',
        'case when count(*) > 0 then count(*) filter (where d.is_active) end',
        'max(d.updated_at)',
        'detector d',
      ),
      counted(
        'incidents',
        'case when (select is_monitored from watched) or i.incidents > 0 then i.incidents end',
        'i.stamp',
        'counted_incident i',
      ),
      counted(
        'openIncidents',
        'case when (select is_monitored from watched) or i.incidents > 0 then i.open end',
        'i.stamp',
        'counted_incident i',
      ),
      counted(
        'externalUsers',
        `case when exists (select from models.log_fact l where l.tenant_id = ${tenant} and l.kind = 'aiInteraction' and l.discovered_at <= ${storedThrough}) then count(distinct coalesce(p.id, models.lower_case(u.actor_id))) end`,
        'max(u.stamp)',
        `human_use u left join person_name p on p.alias = models.lower_case(u.actor_id) where ${isExternal('u.is_external', 'u.actor_type')}`,
      ),
      counted(
        'oldestLog',
        epochMilliseconds('min(log.oldest_at)'),
        'min(log.oldest_at)',
        `(select ${oldestArrival(tenant)} as oldest_at) log where log.oldest_at <= least(${to}, ${storedThrough})`,
      ),
      counted(
        'fria',
        `max(case a.facts->>'verdict' when 'compliant' then 1 when 'partial' then 0 when 'non_compliant' then 0 end) = 1`,
        'max(a.updated_at)',
        'attested a where a.subject_id is null',
      ),
    ].join(',\n')}`,
  );
  return rows[0] as FriaFacts;
}

/** An alert has a row for each of its agents. A detection has one and is not compared: 200,000 of them took 2 of 4 s. */
const countedIncidents = (to: string): string => `counted_incident as materialized (
    select count(*) as incidents, count(*) filter (where is_open) as open, max(stamp) as stamp from (
      select ${isOpenDetection('d', to)} as is_open, d.updated_at as stamp from ai_detection d
       union all
      select bool_or(i.is_open), max(i.stamp) from incident i where i.kind <> 'detection' group by i.kind, i.id) single)`;

/** Users of an AI, each with what the log has about them. */
function humanUses(interactions: string): string {
  return `human_use as materialized (
    select l.actor_id, l.actor_type, l.is_external, max(l.discovered_at) as stamp
      from ${interactions} and l.actor_type in ${humanTypes} group by 1, 2, 3)`;
}
