import { expect } from 'vitest';
import type { AccessFixture, MemberName } from './access-fixture.ts';

// Each refusal is checked twice: as a SQL statement of the console's database role, without the console's routes; and as a request, with the
// check in the database disabled. The same statement succeeds once that check is disabled, which shows that it is the check that refused.

export interface RefusalCase {
  readonly actor?: MemberName | null;
  /** Replaces the session of the actor. */
  readonly sessionOf?: (stage: AccessFixture) => string;
  readonly error: RegExp;
  readonly sql: (stage: AccessFixture) => string;
  /** Disables the check in the database, and enables it again. */
  readonly disable: string;
  readonly enable: string;
  /** The same as a request to the console. */
  readonly request?: (stage: AccessFixture) => Promise<unknown>;
}

export const denied = /permission denied/;
export const trigger = (table: string, name: string) => ({
  disable: `alter table control.${table} disable trigger ${name}`,
  enable: `alter table control.${table} enable trigger ${name}`,
});
export const grant = (right: string, table: string) => ({
  disable: `grant ${right} on ${table} to tenantscope_console`,
  enable: `revoke ${right} on ${table} from tenantscope_console`,
});
export const memberAccess = trigger('admin_event', 'authorize_admin_event');

/** Columns that cannot be changed after the insert. */
export const immutableColumns = (
  table: string,
  columns: readonly string[],
  where: (stage: AccessFixture) => string = () => '',
) =>
  Object.fromEntries(
    columns.map((column): [string, RefusalCase] => [
      `changing ${column} of a ${table}`,
      {
        error: denied,
        sql: (stage) => `update control.${table} set ${column} = ${column} ${where(stage)}`,
        ...grant(`update (${column})`, `control.${table}`),
      },
    ]),
  );

/** Sends a request as a member and expects one of these statuses. */
export const expectStatus =
  (
    who: MemberName,
    method: string,
    pathOf: (stage: AccessFixture) => string,
    bodyOf: (stage: AccessFixture) => object | undefined,
    ...statuses: number[]
  ) =>
  async (stage: AccessFixture) => {
    const path = pathOf(stage);
    const response = await stage.members[who].request(method, `/console/api${path}`, bodyOf(stage));
    expect(statuses, `${method} ${path} ${response.text}`).toContain(response.status);
  };
export const noBody = () => ({});
