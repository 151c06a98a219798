import { expect } from 'vitest';
import { denied, grant, type Refused, reach, trigger } from './refused.ts';

const auditTables = ['admin_event', 'admin_event_head'];
const auditActs: [string, (table: string) => string][] = [
  ['insert', (table) => `insert into control.${table} select * from control.${table} limit 0`],
  ['update', (table) => `update control.${table} set number = number`],
  ['delete', (table) => `delete from control.${table}`],
  ['truncate', (table) => `truncate control.${table}`],
];

/** That every change is told, by whom, and stays told. */
export const refusedOfAudit: Record<string, Refused> = {
  'a change that nobody makes': {
    by: null,
    says: /names who makes it/,
    sql: ({ things }) => `update control.api_key set name = 'x' where id = '${things.key}'`,
    ...trigger('api_key', 'record_admin_event'),
    asked: async ({ ours, things }) => {
      const nobody = await ours.visitor(null);
      expect((await nobody.ask('PATCH', `/console/api/keys/${things.key}`, { name: 'x' })).status).toBe(401);
    },
  },
  ...Object.fromEntries(
    auditTables.flatMap((table) =>
      auditActs.map(([act, sql]): [string, Refused] => [
        `${act} of ${table}`,
        {
          says: denied,
          sql: () => sql(table),
          ...grant(act === 'truncate' ? 'truncate' : `select, ${act}`, `control.${table}`),
          up: `revoke ${act} on control.${table} from tenantscope_admin`,
          asked: async ({ people }) => {
            for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
              for (const path of ['/audit', '/audit/1', '/audit/verify', '/audit/export'])
                expect((await people.ann.ask(method, `/console/api${path}`)).status, `${method} ${path}`).toBe(404);
          },
        },
      ]),
    ),
  ),
  'a note in the audit of another organization': {
    says: /own organization/,
    sql: ({ people, theirs }) =>
      `select control.note_admin_event('${theirs.organizationId}', 'exported', 'person', '${people.ann.personId}', null)`,
    ...reach,
  },
  'a note in the audit of the installation': {
    says: /own organization/,
    sql: ({ people }) => `select control.note_admin_event(null, 'exported', 'person', '${people.ann.personId}', null)`,
    ...reach,
  },
};
