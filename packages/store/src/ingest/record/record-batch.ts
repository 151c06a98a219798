import type pg from 'pg';

/** The newest state of a mutable record, as reported by a message. */
export interface RecordState {
  tenantId: string;
  id: string;
  version: number;
  /** SHA-256 of the canonical payload: decides between two states of one version. */
  digest: Buffer;
  /** Filter columns by their SQL name. */
  columns: Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
  /** Axis columns by their SQL name, epoch ms. */
  times: Readonly<Record<string, number>>;
  /** JSON text of the list row's members, without braces and without those of `serializeDocumentHead`. */
  members: string;
  /** JSON text of what the by-id document adds; null where there is no by-id read. */
  detailMembers: string | null;
  /** Only alerts have parts; see `alert-batch.ts`. */
  isPart?: true;
}

/** A table of mutable records and the SQL types of its own columns. */
export interface RecordTable {
  name: string;
  columns: Readonly<Record<string, 'text' | 'boolean' | 'bigint' | 'text[]'>>;
  times: readonly string[];
  /** Columns with the earliest stamp of a state that matches, whether or not that state is the current one. */
  firstStamps?: Readonly<Record<string, (state: RecordState) => boolean>>;
  /** SQL over the row `r`: whether it is live. Left out where rows are never deleted. */
  live?: string;
}

/** The outcome of a state: the lesser of two states of one version is a conflict, an older version is stale, an equal state is the same. */
export type StateOutcome = 'applied' | 'same' | 'stale' | 'conflict';

interface StoredVersion {
  version: number;
  digest: Buffer;
}

const keyOf = (state: { tenantId: string; id: string }): string => `${state.tenantId}/${state.id}`;

/**
 * Writes states into one table inside the lane transaction, upward by (version, digest) only: every order of delivery ends in the same rows.
 * `stampOf` gives each state's updatedAt, rising in the order of the batch. Returns the outcomes in the order of `states`.
 */
export async function writeStates(
  client: pg.PoolClient,
  table: RecordTable,
  states: readonly RecordState[],
  stampOf: (index: number) => string,
): Promise<StateOutcome[]> {
  const storedVersions = await lockStoredVersions(client, table, states);
  const winners = new Map<string, number>();
  const outcomes = states.map((state, index): StateOutcome => {
    const key = keyOf(state);
    const before = storedVersions.get(key);
    const outcome = compareVersions(state, before);
    if (outcome === 'applied') {
      storedVersions.set(key, state);
      winners.set(key, index);
    }
    return outcome;
  });
  const indexes = [...winners.values()];
  await upsertRows(
    client,
    table,
    indexes.map((index) => ({ state: states[index] as RecordState, stamp: stampOf(index) })),
    'where (excluded.version, excluded.digest) > (r.version, r.digest)',
  );
  await writeFirstStamps(client, table, states, stampOf);
  return outcomes;
}

/** Writes `firstStamps` of the states of a batch, current or not. */
export async function writeFirstStamps(
  client: pg.PoolClient,
  table: RecordTable,
  states: readonly RecordState[],
  stampOf: (index: number) => string,
): Promise<void> {
  for (const [column, matches] of Object.entries(table.firstStamps ?? {}))
    await writeFirstStamp(
      client,
      table,
      column,
      states.flatMap((state, index) => (matches(state) ? [{ state, stamp: stampOf(index) }] : [])),
    );
}

export function compareVersions(state: StoredVersion, before: StoredVersion | undefined): StateOutcome {
  if (!before || state.version > before.version) return 'applied';
  if (state.version < before.version) return 'stale';
  const order = Buffer.compare(state.digest, before.digest);
  if (order === 0) return 'same';
  return order > 0 ? 'applied' : 'conflict';
}

/** Locks in the order of ids, so that lanes and backfills that share records wait for each other instead of deadlocking. */
export async function lockStoredVersions(
  client: pg.PoolClient,
  table: RecordTable,
  states: readonly RecordState[],
): Promise<Map<string, StoredVersion>> {
  const { rows } = await client.query<{ tenant_id: string; id: string; version: string; digest: Buffer }>(
    `select r.tenant_id, r.id, r.version, r.digest
       from (select distinct tenant_id, id from unnest($1::uuid[], $2::text[]) as requested (tenant_id, id)) requested
       join models.${table.name} r on r.tenant_id = requested.tenant_id and r.id = requested.id
      order by r.tenant_id, r.id for update of r`,
    [states.map((state) => state.tenantId), states.map((state) => state.id)],
  );
  return new Map(
    rows.map((row) => [`${row.tenant_id}/${row.id}`, { version: Number(row.version), digest: row.digest }]),
  );
}

/**
 * Inserts or overwrites rows. `condition` compares again with a row that another lane inserted since the lock; a caller that holds a lock on
 * the record needs none.
 */
export async function upsertRows(
  client: pg.PoolClient,
  table: RecordTable,
  rows: readonly { state: RecordState; stamp: string }[],
  condition: 'where (excluded.version, excluded.digest) > (r.version, r.digest)' | '',
): Promise<void> {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((a, b) => (keyOf(a.state) < keyOf(b.state) ? -1 : 1));
  const fixed: [name: string, type: string, values: unknown[]][] = [
    ['tenant_id', 'uuid', sorted.map(({ state }) => state.tenantId)],
    ['id', 'text', sorted.map(({ state }) => state.id)],
    ['version', 'bigint', sorted.map(({ state }) => state.version)],
    ['digest', 'bytea', sorted.map(({ state }) => state.digest)],
    ['updated_at', 'timestamptz', sorted.map(({ stamp }) => stamp)],
    ['document', 'text', sorted.map(({ state, stamp }) => serializeDocument(state, stamp))],
    ['detail', 'text', sorted.map(({ state, stamp }) => serializeDetail(state, stamp))],
    ...table.times.map((name): [string, string, unknown[]] => [
      name,
      'timestamptz',
      sorted.map(({ state }) => new Date(state.times[name] as number).toISOString()),
    ]),
    // A list does not fit into unnest, which would take it apart: it travels as JSON.
    ...Object.entries(table.columns).map(([name, type]): [string, string, unknown[]] =>
      type === 'text[]'
        ? [name, 'jsonb', sorted.map(({ state }) => JSON.stringify(state.columns[name] ?? null))]
        : [name, type, sorted.map(({ state }) => state.columns[name] ?? null)],
    ),
  ];
  const names = fixed.map(([name]) => name);
  const selected = names.map((name) =>
    table.columns[name] === 'text[]'
      ? `case when jsonb_typeof(${name}) = 'array' then array(select jsonb_array_elements_text(${name})) end`
      : name,
  );
  await client.query(
    `insert into models.${table.name} as r (${names.join(', ')})
     select ${selected.join(', ')} from unnest(${fixed.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')}) as given (${names.join(', ')})
     on conflict (tenant_id, id) do update set ${names
       .slice(2)
       .map((name) => `${name} = excluded.${name}`)
       .join(', ')}
     ${condition}`,
    fixed.map(([, , values]) => values),
  );
}

/** Stamps rise within a lane but not across lanes: the earliest wins, in whatever order they are written. */
async function writeFirstStamp(
  client: pg.PoolClient,
  table: RecordTable,
  column: string,
  states: readonly { state: RecordState; stamp: string }[],
): Promise<void> {
  if (states.length === 0) return;
  await client.query(
    `update models.${table.name} r set ${column} = given.stamp
       from (select tenant_id, id, min(stamp) as stamp from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as given (tenant_id, id, stamp)
              group by tenant_id, id) given
      where r.tenant_id = given.tenant_id and r.id = given.id and (r.${column} is null or r.${column} > given.stamp)`,
    [states.map(({ state }) => state.tenantId), states.map(({ state }) => state.id), states.map(({ stamp }) => stamp)],
  );
}

/** The members every mutable record begins with. `changeId` tells changes of one record apart for clients that can compare one field only. */
function serializeDocumentHead(state: { tenantId: string; id: string; version: number }, stamp: string): string {
  const { tenantId, version } = state;
  const id = JSON.stringify(state.id);
  const changeId = JSON.stringify(`${state.id}:${version}`);
  return `{"id":${id},"updatedAt":"${stamp}","version":${version},"changeId":${changeId},"tenantId":"${tenantId}"`;
}

const serializeDocument = (state: RecordState, stamp: string): string =>
  `${serializeDocumentHead(state, stamp)},${state.members}}`;

const serializeDetail = (state: RecordState, stamp: string): string | null =>
  state.detailMembers ? `${serializeDocumentHead(state, stamp)},${state.members},${state.detailMembers}}` : null;

/** Whether a record is live. For tombstones, which alone do not delete a live record. */
export async function isLiveRecord(
  client: pg.PoolClient,
  table: RecordTable,
  name: { tenantId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from models.${table.name} r where r.tenant_id = $1 and r.id = $2 and ${table.live ?? 'true'}`,
    [name.tenantId, name.id],
  );
  return rowCount === 1;
}
