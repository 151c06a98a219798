import { migrate } from '@tenantscope/store/admin';
import { openPool } from '@tenantscope/store/connection';
import { type Ledger, readPendingEntries } from '@tenantscope/store/ingest';
import type { WrittenMessage } from '@tenantscope/store/restore';
import { inject } from 'vitest';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../services/database.ts';
import { onServer } from '../services/template.ts';

/** The read models and the control tables, in one database or in two. */
export interface LedgerDatabases extends AsyncDisposable {
  readonly models: TestDatabase;
  readonly control: TestDatabase;
}

export const arrangements = ['one database', 'a separate control database'] as const;
export type Arrangement = (typeof arrangements)[number];

export async function createLedgerDatabases(arrangement: Arrangement): Promise<LedgerDatabases> {
  await using stack = new AsyncDisposableStack();
  if (arrangement === 'one database') {
    const both = stack.use(await createTestDatabase());
    return combine(both, both, stack.move());
  }
  const server = inject('services').postgres;
  const models = stack.use(await createDatabaseOn(server));
  const control = stack.use(await createDatabaseOn(server));
  await migrate({ owner: models.owner, controlOwner: control.owner, roles: models.roles });
  return combine(models, control, stack.move());
}

/** As they are now: what a restore to this time brings back. */
export async function copyLedgerDatabases({ models, control }: LedgerDatabases): Promise<LedgerDatabases> {
  await using stack = new AsyncDisposableStack();
  const copy = async ({ name }: TestDatabase) => stack.use(await createDatabaseOn(inject('services').postgres, name));
  const first = await copy(models);
  const second = control === models ? first : await copy(control);
  return combine(first, second, stack.move());
}

const combine = (models: TestDatabase, control: TestDatabase, stack: AsyncDisposableStack): LedgerDatabases => ({
  models,
  control,
  [Symbol.asyncDispose]: () => stack.disposeAsync(),
});

/** Of the control tables first. */
export async function withLedgers<Value>(
  { models, control }: LedgerDatabases,
  work: (ledger: Ledger) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (const [schema, { roles }] of [['control', control] as const, ['models', models] as const]) {
    const pool = openPool(roles.ingest, { name: 'test', maxConnections: 2 });
    try {
      values.push(await work({ pool, schema }));
    } finally {
      await pool.end();
    }
  }
  return values;
}

/** What is not published, as if it were the whole topic. */
export async function readAsMessages(databases: LedgerDatabases): Promise<WrittenMessage[]> {
  const entries = await withLedgers(databases, async (ledger) =>
    (await readPendingEntries(ledger, 1_000)).map(({ text }) => ({ schema: ledger.schema, text })),
  );
  return entries.flat().map((message, offset) => ({ ...message, offset: BigInt(offset) }));
}

/** As a superuser, with the actor of a command. */
export const query = ({ superuser }: TestDatabase, statement: string) =>
  onServer(superuser, async (client) => {
    await client.query(`select set_config('tenantscope.actor', 'cli:test', false)`);
    return (await client.query(statement)).rows;
  });

export const hasOpenEpoch = async (database: TestDatabase, schema: 'control' | 'models') =>
  (await query(database, `select ${schema}.has_open_epoch() as "isOpen"`))[0]?.isOpen as boolean;
