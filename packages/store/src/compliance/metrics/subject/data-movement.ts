import { daysAgo } from '../clause/days-ago.ts';
import { countedEpisodes, episodesCte } from '../clause/episodes.ts';
import { byOccurrence, logSubject } from '../clause/log-subject.ts';
import { decisionsInForce, entityNamesCte } from '../clause/names.ts';
import type { Relation } from '../relation.ts';

/** Looked at since it began: approved, of the event or the mailbox by any name, or ended by an action on the mailbox. */
const forwardings: Relation = {
  with: `
  with forwarded as materialized (
    select log_id, discovered_at, occurred_at, models.lower_case(facts ->> 'mailbox') as name from models.log_fact
     where tenant_id = $1 and kind = 'externalForwarding' and occurred_at between ${daysAgo(90)} and $2
  ), look as materialized (
    select models.lower_case(subject_id) as name, at from (${decisionsInForce('$1', '$2')}) decision
     where facts ->> 'outcome' in ('approved', 'accepted')
     union all
    select models.lower_case(resource_id), created_at from models.action
     where tenant_id = $1 and action_type in ('removeInboxRule', 'disableForwarding') and rung in ('applied', 'confirmed') and not is_simulated
       and created_at >= ${daysAgo(90)}
  ), named as materialized (
    select name from forwarded union select name from look
  ), ${entityNamesCte('user', 'named')}, forwarding as (
    select l.log_id, l.discovered_at, l.occurred_at, l.name as mailbox, coalesce(u.id, l.name) as account from forwarded l left join user_name u using (name)
  ), looked as materialized (
    select coalesce(u.id, l.name) as name, l.at from look l left join user_name u using (name)
  )`,
  from: 'forwarding f',
  subject: logSubject('f', byOccurrence('f')),
  rules: {
    'data.mail.external_forwarding': {
      population: ['forwardings', 'true'],
      bad: [
        'unreviewed',
        `not exists (select from looked l where l.name in (f.account, f.log_id::text) and l.at between f.occurred_at and $2)`,
      ],
      reason: 'not_reviewed',
      since: 'f.occurred_at',
      detail: { mailbox: 'f.mailbox' },
    },
  },
};

const mailAlerts: Relation = {
  with: `
  with alert as (
    select id, severity, status, opened_at as created_at, case when is_resolved then resolved_at end as resolved_at from models.incident_fact
     where tenant_id = $1 and kind = 'securityAlert' and opened_at between ${daysAgo(30)} and $2::timestamptz - interval '72 hours'
       and concerns_mail
  )`,
  from: 'alert a',
  subject: { type: 'securityAlert', id: 'a.id' },
  rules: {
    'data.mail.threats_handled': {
      population: ['mailAlerts', 'true'],
      good: ['handled', "resolved_at - created_at <= interval '72 hours'"],
      reason: 'not_resolved_within_72h',
      since: 'created_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

/** What carries data out: downloads, shares, exports, mail that is forwarded. */
const exfiltration = `
  (select * from episode
    where action_group in ('file.download', 'mail.forwardingChange', 'ediscovery.export') or action_group like 'file.share%'
       or action_group like '%exfiltration%') e`;

const episodes: Relation = {
  with: episodesCte,
  from: exfiltration,
  counted: countedEpisodes(exfiltration),
  subject: { type: 'detection', id: 'e.id' },
  rules: {
    'data.exfiltration.handled': {
      population: ['episodes', 'true'],
      good: ['handled', 'took_up_to_72h'],
      reason: 'not_resolved_within_72h',
      since: 'opened_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

/** Mail that leaves, mail that attacks, and what carries data out. */
export const movementRelations: readonly Relation[] = [forwardings, mailAlerts, episodes];
