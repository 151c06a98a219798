import { expect } from 'vitest';
import { denied, grant, memberAccess, type RefusalCase, trigger } from './refusal-case.ts';

const auditTables = ['admin_event', 'admin_event_head'];
const auditStatements: [string, (table: string) => string][] = [
  ['insert', (table) => `insert into control.${table} select * from control.${table} limit 0`],
  ['update', (table) => `update control.${table} set number = number`],
  ['delete', (table) => `delete from control.${table}`],
  ['truncate', (table) => `truncate control.${table}`],
];

/** Every change has an audit event with its actor, and events cannot be changed. */
export const auditRefusals: Record<string, RefusalCase> = {
  'a change without an actor': {
    actor: null,
    error: /requires an actor/,
    sql: ({ ids }) => `update control.api_key set name = 'x' where id = '${ids.key}'`,
    ...trigger('api_key', 'audit_row_change'),
    request: async ({ ours, ids }) => {
      const anonymous = await ours.signIn(null);
      expect((await anonymous.request('PATCH', `/console/api/keys/${ids.key}`, { name: 'x' })).status).toBe(401);
    },
  },
  ...Object.fromEntries(
    auditTables.flatMap((table) =>
      auditStatements.map(([command, sql]): [string, RefusalCase] => [
        `${command} of ${table}`,
        {
          error: denied,
          sql: () => sql(table),
          ...grant(command === 'truncate' ? 'truncate' : `select, ${command}`, `control.${table}`),
          enable: `revoke ${command} on control.${table} from tenantscope_console`,
          request: async ({ members }) => {
            for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
              for (const path of ['/audit', '/audit/1', '/audit/verify', '/audit/export'])
                expect((await members.ann.request(method, `/console/api${path}`)).status, `${method} ${path}`).toBe(
                  404,
                );
          },
        },
      ]),
    ),
  ),
  'an event in the audit log of another organization': {
    error: /own organization/,
    sql: ({ members, theirs }) =>
      `select control.record_admin_action('${theirs.organizationId}', 'exported', 'member', '${members.ann.memberId}', null)`,
    ...memberAccess,
  },
  'an event in the audit log of the installation': {
    error: /own organization/,
    sql: ({ members }) =>
      `select control.record_admin_action(null, 'exported', 'member', '${members.ann.memberId}', null)`,
    ...memberAccess,
  },
};
