import { expect } from 'vitest';
import type { Name, Stage } from './stage.ts';

// Every refusal of what an administrator may not do is tried twice: by the console's own login, speaking SQL without the console's routes and
// statements before it; and by a request, with the database's wall taken away. That the wall which is taken away is the one that refused shows in
// that the same statement then succeeds.

export interface Refused {
  readonly by?: Name | null;
  /** Instead of the session of whoever acts. */
  readonly in?: (stage: Stage) => string;
  readonly says: RegExp;
  readonly sql: (stage: Stage) => string;
  /** What takes the database's wall away, and what puts it up again. */
  readonly down: string;
  readonly up: string;
  /** The same by the console's front door. */
  readonly asked?: (stage: Stage) => Promise<unknown>;
}

export const denied = /permission denied/;
export const trigger = (table: string, name: string) => ({
  down: `alter table control.${table} disable trigger ${name}`,
  up: `alter table control.${table} enable trigger ${name}`,
});
export const grant = (right: string, table: string) => ({
  down: `grant ${right} on ${table} to tenantscope_admin`,
  up: `revoke ${right} on ${table} from tenantscope_admin`,
});
export const reach = trigger('admin_event', 'guard_admin_event');

/** Columns that nobody changes once their row is there. */
export const unmoved = (table: string, columns: readonly string[], where: (stage: Stage) => string = () => '') =>
  Object.fromEntries(
    columns.map((column): [string, Refused] => [
      `changing ${column} of a ${table}`,
      {
        says: denied,
        sql: (stage) => `update control.${table} set ${column} = ${column} ${where(stage)}`,
        ...grant(`update (${column})`, `control.${table}`),
      },
    ]),
  );

/** Asks as somebody; the answer has to be one of these. */
export const refuses =
  (
    who: Name,
    method: string,
    pathOf: (stage: Stage) => string,
    bodyOf: (stage: Stage) => object | undefined,
    ...statuses: number[]
  ) =>
  async (stage: Stage) => {
    const path = pathOf(stage);
    const answer = await stage.people[who].ask(method, `/console/api${path}`, bodyOf(stage));
    expect(statuses, `${method} ${path} ${answer.text}`).toContain(answer.status);
  };
export const nothing = () => ({});
