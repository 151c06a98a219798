import { decisionsCte } from '../clause/names.ts';
import { restrictionsCtes } from '../clause/restrictions.ts';
import type { Relation } from '../relation.ts';

/** Files with sensitive content: a label protects when it is reported to, and files with unknown links are unknown. */
const filesCtes = `
  with ${restrictionsCtes}, file as materialized (
    select id, is_labeled, is_protected, is_reached, is_anonymous, is_external, types
      from models.file_exposure where tenant_id = $1 and is_sensitive and not is_deleted
  )`;

/** The same files as they are counted when they are written. */
const contentCtes = `
  with ${decisionsCte('sensitiveInfoType')}, ${restrictionsCtes}, content as materialized (
    select types, is_labeled, is_protected, is_reached, is_anonymous, is_external, sum(files) as files
      from models.file_tally where tenant_id = $1 and tally = 'content' group by 1, 2, 3, 4, 5, 6
  ), type_of as (
    select type, bool_or(is_reached) is true as is_reached, bool_or(is_reached is null) as may_be_reached, sum(files) as carriers
      from content cross join lateral unnest(types) type where files > 0 group by 1
  )`;
const hasRestrictedType = (of: string) => `${of}.types && (select array_agg(type) from restriction)`;

/** Read for the rows of a page of findings alone. */
const factOf = (name: string): string =>
  `(select e.facts ->> '${name}' from models.entity_fact e where e.tenant_id = $1 and e.kind = 'file' and e.id = f.id)`;

const files: Relation = {
  with: filesCtes,
  from: 'file f',
  counted: { with: contentCtes, from: 'content f', units: 'f.files' },
  subject: { type: 'file', id: 'f.id' },
  rules: {
    'data.labels.coverage': {
      population: ['sensitiveFiles', 'true'],
      good: ['labeled', 'is_labeled'],
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
      reported: 'is_external is not null',
      bad: ['external', 'is_external'],
      figures: {
        externalUsers: `(select count(*) from (select from models.file_tally where tenant_id = $1 and tally = 'external_user' group by subject having sum(files) > 0) user_of_files)`,
      },
      reason: 'shared_externally',
      detail: { externalUserCount: factOf('externalUserCount') },
    },
    'ai.data.sensitive_reach_protected': {
      population: ['sensitiveInReach', 'is_reached is not false'],
      reported: 'is_reached is not null and is_protected is not null',
      bad: ['unprotected', 'not is_protected'],
      reason: 'not_protected',
      detail: { aiAppReachCount: factOf('aiAppReachCount'), agentReachCount: factOf('agentReachCount') },
    },
  },
};

const reachedTypes: Relation = {
  with: contentCtes,
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
  from: `(select * from file where ${hasRestrictedType('file')}) c`,
  counted: {
    with: contentCtes,
    from: `(select * from content where ${hasRestrictedType('content')}) c`,
    units: 'c.files',
  },
  subject: { type: 'file', id: 'c.id' },
  rules: {
    'ai.data.restricted_label_coverage': {
      population: ['carriers', 'true'],
      reported: 'is_protected is not null',
      good: ['labelProtected', 'is_protected'],
      reason: 'not_protected',
    },
  },
};

/** Sensitive files, the types they carry and the labels that protect them. */
export const fileRelations: readonly Relation[] = [files, reachedTypes, carriers];
