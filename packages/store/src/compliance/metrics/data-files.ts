import { decisionsCte } from './names.ts';
import type { Relation } from './relation.ts';
import { restrictionsCtes } from './restrictions.ts';

/** A label protects when it is reported to. Files with unknown links are unknown. */
const filesCtes = `
  with ${decisionsCte('sensitiveInfoType')}, ${restrictionsCtes}, file as materialized (
    select e.id, f.*, coalesce("aiAppReachCount" > 0 or "agentReachCount" > 0 or jsonb_array_length("aiReach") > 0, false) as is_reached,
           coalesce("aiAppReachCount", "agentReachCount", jsonb_array_length("aiReach")) is not null as has_reach,
           "isProtected" is true as is_protected,
           "isProtected" is not null or coalesce(nullif("sensitivityLabelId", ''), nullif("sensitivityLabelName", '')) is null as has_protection, coalesce("hasAnonymousLink", "sharingScope" = 'anyone') as is_anonymous
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "sensitiveInfoTypes" jsonb, "sensitivityLabelId" text, "sensitivityLabelName" text, "isProtected" boolean, "sharingScope" text,
             "hasAnonymousLink" boolean, "externalUserCount" bigint, "externalUserIds" jsonb, "aiAppReachCount" bigint, "agentReachCount" bigint,
             "aiReach" jsonb)
     where e.tenant_id = $1 and e.kind = 'file' and not e.is_deleted
       and (e.facts -> 'sensitiveInfoTypes' -> 0 is not null or (e.facts ->> 'sensitiveInfoTypeCount')::bigint > 0)
  ), type_of as (
    select lower(t ->> 'id') as type, bool_or(is_reached) as is_reached, bool_or(not has_reach) as may_be_reached, count(*) as carriers, count(*) filter (where is_protected) as protected
      from file cross join lateral jsonb_array_elements("sensitiveInfoTypes") t where t ->> 'id' <> '' group by 1
  ), carrier as (
    select id, is_protected, has_protection from file
     where exists (select from jsonb_array_elements("sensitiveInfoTypes") t where lower(t ->> 'id') in (select type from restriction))
  )`;

const files: Relation = {
  with: filesCtes,
  from: 'file f',
  subject: { type: 'file', id: 'f.id' },
  rules: {
    'data.labels.coverage': {
      population: ['sensitiveFiles', 'true'],
      good: ['labeled', `"sensitivityLabelId" <> '' or "sensitivityLabelName" <> ''`],
      reason: 'no_sensitivity_label',
    },
    'data.links.anonymous': {
      population: ['sensitiveFiles', 'true'],
      reported: 'is_anonymous is not null',
      bad: ['anonymous', 'is_anonymous'],
      reason: 'anonymous_link',
    },
    'data.sharing.external': {
      population: ['sensitiveFiles', 'true'],
      reported: '"externalUserCount" is not null',
      bad: ['external', '"externalUserCount" > 0'],
      figures: {
        externalUsers: `(select count(distinct lower(name)) from file cross join lateral jsonb_array_elements_text("externalUserIds") name)`,
      },
      reason: 'shared_externally',
      detail: { externalUserCount: '"externalUserCount"' },
    },
    'ai.data.sensitive_reach_protected': {
      population: ['sensitiveInReach', 'is_reached or not has_reach'],
      reported: 'has_reach and has_protection',
      bad: ['unprotected', 'not is_protected'],
      reason: 'not_protected',
      detail: { aiAppReachCount: '"aiAppReachCount"', agentReachCount: '"agentReachCount"' },
    },
  },
};

const reachedTypes: Relation = {
  with: filesCtes,
  from: 'type_of t',
  subject: {
    type: 'sensitiveInfoType',
    id: 't.type',
    name: `(select n.document::json ->> 'name' from models.entity_sensitive_info_type n
             where n.tenant_id = $1 and lower(n.id) = t.type order by n.id limit 1)`,
  },
  rules: {
    'ai.data.restriction_decisions': {
      population: ['typesInReach', 'is_reached or may_be_reached'],
      reported: 'is_reached',
      good: [
        'decided',
        't.type in (select r.type from restriction r) or t.type in (select id from decided where is_approval)',
      ],
      reason: 'no_decision',
      detail: { files: 't.carriers' },
    },
  },
};

const carriers: Relation = {
  with: filesCtes,
  from: 'carrier c',
  subject: { type: 'file', id: 'c.id' },
  rules: {
    'ai.data.restricted_label_coverage': {
      population: ['carriers', 'true'],
      reported: 'has_protection',
      good: ['labelProtected', 'is_protected'],
      reason: 'not_protected',
    },
  },
};

/** Sensitive files, the types they carry and the labels that protect them. */
export const fileRelations: readonly Relation[] = [files, reachedTypes, carriers];
