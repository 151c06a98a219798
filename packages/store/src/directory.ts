import type pg from 'pg';
import { withConnection } from './connection.ts';
import { type DeadLetter, setAside, settleReplays } from './dead-letter.ts';
import { codeOf, isWorthRepeating } from './failure.ts';
import { advanceLane, type LaneIdentity, type Ledger } from './lane.ts';

/** A tenant's or an organization's full state, as a record of the tenant topic carries it. */
export type DirectoryState =
  | {
      kind: 'tenant';
      id: string;
      name: string;
      organizationId: string | null;
      azureTenantId: string | null;
      plan: 'api' | 'none';
      version: number;
      digest: Buffer;
    }
  | { kind: 'organization'; id: string; name: string; version: number; digest: Buffer };

/** What the directory did with a state: a loser of an equal version is a conflict, an older one is stale, the same one is nothing new. */
export type Applied = 'applied' | 'same' | 'stale' | 'conflict';

export interface DirectoryBatch {
  lane: LaneIdentity;
  fromOffset: bigint;
  toOffset: bigint;
  states: readonly DirectoryState[];
  settledLetters: readonly string[];
  /** Makes the dead letters once it is known what became of each state, in the order of `states`. */
  deadLetters(applied: readonly Applied[]): readonly DeadLetter[];
}

/** A batch of the tenant topic, applied in one transaction under the same lane law as log rows. */
export async function writeDirectoryBatch(
  ledger: Ledger,
  batch: DirectoryBatch,
): Promise<{ kind: 'written'; applied: Applied[] } | { kind: 'fenced' } | { kind: 'again' }> {
  return withConnection(ledger.pool, async (client) => {
    try {
      if (!(await advanceLane(client, ledger, batch.lane, batch.fromOffset, batch.toOffset))) {
        await client.query('rollback');
        return { kind: 'fenced' };
      }
      const applied: Applied[] = [];
      for (const state of batch.states) applied.push(await applyState(client, state));
      const letters = batch.deadLetters(applied);
      if (letters.length > 0) await setAside(client, ledger, letters);
      if (batch.settledLetters.length > 0) await settleReplays(client, ledger, batch.settledLetters);
      await client.query('commit');
      return { kind: 'written', applied };
    } catch (error) {
      if (codeOf(error) !== '') await client.query('rollback');
      if (!isWorthRepeating(error)) throw error;
      return { kind: 'again' };
    }
  });
}

/** States of one id are ordered by version, then digest; the greater stands in every order of delivery. */
async function applyState(client: pg.PoolClient, state: DirectoryState): Promise<Applied> {
  const { rowCount } =
    state.kind === 'tenant'
      ? await client.query(
          `insert into control.tenant as standing (id, name, organization_id, azure_tenant_id, plan, version, digest)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (id) do update
             set name = excluded.name, organization_id = excluded.organization_id, azure_tenant_id = excluded.azure_tenant_id,
                 plan = excluded.plan, version = excluded.version, digest = excluded.digest, changed_at = clock_timestamp()
           where (excluded.version, excluded.digest) > (standing.version, standing.digest)`,
          [state.id, state.name, state.organizationId, state.azureTenantId, state.plan, state.version, state.digest],
        )
      : await client.query(
          `insert into control.organization as standing (id, name, version, digest) values ($1, $2, $3, $4)
           on conflict (id) do update
             set name = excluded.name, version = excluded.version, digest = excluded.digest, changed_at = clock_timestamp()
           where (excluded.version, excluded.digest) > (standing.version, standing.digest)`,
          [state.id, state.name, state.version, state.digest],
        );
  if (rowCount === 1) return 'applied';
  const { rows } = await client.query<{ version: string; digest: Buffer }>(
    `select version, digest from control.${state.kind} where id = $1`,
    [state.id],
  );
  if (Number(rows[0]?.version) > state.version) return 'stale';
  return rows[0]?.digest.equals(state.digest) ? 'same' : 'conflict';
}

export interface KnownTenant {
  id: string;
  azureTenantId: string | null;
}

/** The tenants that rows may be written for; all of them, or those asked for. */
export async function readKnownTenants(pool: pg.Pool, ids?: readonly string[]): Promise<KnownTenant[]> {
  return withConnection(pool, async (client) => {
    const { rows } = await client.query<{ id: string; azure_tenant_id: string | null }>(
      ids
        ? 'select id, azure_tenant_id from control.tenant where id = any($1::uuid[])'
        : 'select id, azure_tenant_id from control.tenant',
      ids ? [ids] : [],
    );
    return rows.map((row) => ({ id: row.id, azureTenantId: row.azure_tenant_id }));
  });
}
