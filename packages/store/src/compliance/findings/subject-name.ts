import type { SubjectType } from '@tenantscope/contract';
import type { Subject } from '../metrics/relation.ts';

const fromDocument = (table: string, ...members: readonly string[]) => {
  const names = members.map((member) => `n.document::json ->> '${member}'`);
  return (id: string) =>
    `(select coalesce(${names.join(', ')}) from models.${table} n where n.tenant_id = $1 and n.id = ${id})`;
};

const fromRecord = (kind: string) => (id: string) =>
  `(select n.facts ->> 'name' from models.compliance_record n where n.tenant_id = $1 and n.id = '${kind}/' || ${id})`;

/** SQL for the name of a subject with this id, where its table has one. */
const names: Readonly<Partial<Record<SubjectType, (id: string) => string>>> = {
  user: fromDocument('entity_user', 'displayName', 'userPrincipalName'),
  agent: fromDocument('entity_agent', 'displayName'),
  app: fromDocument('entity_app', 'displayName'),
  file: fromDocument('entity_file', 'name'),
  group: fromDocument('entity_group', 'displayName'),
  site: fromDocument('entity_site', 'displayName'),
  device: fromDocument('entity_device', 'displayName'),
  sensitiveInfoType: fromDocument('entity_sensitive_info_type', 'name'),
  detection: fromDocument('detection', 'summary'),
  securityAlert: fromDocument('security_alert', 'title'),
  notification: fromDocument('notification', 'mailSubject', 'policyName'),
  action: fromDocument('action', 'actionName', 'actionType'),
  policy: fromRecord('policy'),
  detector: fromRecord('detector'),
};

/** SQL for the type, the id and the name of a row's subject, as texts. */
export function subjectSql({ type, id, name }: Subject): Readonly<Record<'type' | 'id' | 'name', string>> {
  const typeSql = typeof type === 'string' ? `'${type}'::text` : type.sql;
  const found = typeof type === 'string' ? subjectName(type, id) : subjectNameByType(type.sql, type.among, id);
  return { type: typeSql, id: `(${id})::text`, name: name ?? found };
}

/** SQL for the name of a row's subject; the type is a literal or an expression of `candidates`. */
function subjectName(type: SubjectType, id: string): string {
  return names[type]?.(id) ?? 'null::text';
}

/** The same where the type is known only with the row. */
function subjectNameByType(type: string, candidates: readonly SubjectType[], id: string): string {
  return `case ${type} ${candidates.map((one) => `when '${one}' then ${subjectName(one, id)}`).join(' ')} end`;
}
