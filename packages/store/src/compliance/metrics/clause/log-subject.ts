import { memberText } from '../../../resource/sealed-columns.ts';
import type { Subject } from '../relation.ts';

/**
 * The log row of a row that has its id and stamp, named by its description. Ids begin with the time of the event, so their order is that of the
 * events; the stamp leads to the one partition that has the row.
 */
export function logSubject(alias: string, order?: Subject['order']): Subject {
  return {
    type: 'log',
    id: `${alias}.log_id`,
    name: `coalesce((select ${logDescription('l')} from models.audit_log l
                       where l.tenant_id = $1 and l.discovered_at = ${alias}.discovered_at and l.id = ${alias}.log_id::uuid),
                     (select s.description::json #>> '{}'
                        from models.sealed_log_rows($1, ${alias}.discovered_at, ${alias}.discovered_at) s where s.id = ${alias}.log_id::uuid))`,
    ...(order ? { order } : {}),
  };
}

/** The order of the index of facts, so that a page reads no more rows of a large log than it needs. */
export const byOccurrence = (alias: string): Subject['order'] => [
  { sql: `${alias}.occurred_at`, type: 'timestamptz' },
  { sql: `${alias}.log_id`, type: 'uuid' },
];

/** Whether a row has one of the ids in an array of texts, by an index of ids. */
export const isAmongIds = (id: string, ids: string): string =>
  `${id} = any (array(select text::uuid from unnest(${ids}) text where text ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))`;

/** The description of a row of the log. */
export const logDescription = (alias: string): string => `${memberText(alias, 'description')}::json #>> '{}'`;
