import { type FeedName, feedNames, listFeedTopics } from '@tenantscope/contract';
import type pg from 'pg';
import { connectOwner } from '../migration/owner-connection.ts';
import { type AppliedEntries, applyMissingEntries, type LedgerEntry } from './apply-entries.ts';

type Schema = 'control' | 'models';

/** A lane as it is in the restored database, before its epoch. */
export interface RestoredLane {
  readonly cluster: string;
  readonly topic: string;
  readonly partition: number;
  readonly source: string;
  /** Offset: it reads on from here. */
  readonly position: number;
  readonly settledMs: number;
}

/** The time in which a feed may have served rows that it does not have any more, in epoch ms. They come back after it. */
export interface FeedWindow {
  readonly feed: FeedName;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RestoreState {
  /** System identifier and timeline of the server. */
  readonly server: string;
  readonly hasOpenEpoch: boolean;
  /** The end of the ledger's topic as the database knows it. */
  readonly topicEnd: bigint;
  readonly lanes: readonly RestoredLane[];
}

/** A message of the topic. */
export interface WrittenMessage {
  readonly offset: bigint;
  readonly text: string;
  readonly schema: string | null;
}

export interface FinishedRestore {
  readonly applied: AppliedEntries;
  readonly endedSessions: number;
  /** Local accounts, by name, that cannot sign in until they are set up again: their credentials have changed since the backup, and the ledger has none. */
  readonly accountsToSetUp: readonly string[];
  readonly windows: readonly FeedWindow[];
}

export interface Restore extends AsyncDisposable {
  readState(): Promise<RestoreState>;
  /** The messages of the topic that are entries of these databases, in their order: others may write to it too. */
  selectOwn(messages: readonly WrittenMessage[]): Promise<LedgerEntry[]>;
  /** How many of the entries the database lacks. */
  countMissing(ledger: readonly LedgerEntry[]): Promise<number>;
  /**
   * Applies what the database lacks of the ledger, ends all sessions of the console, opens the epoch, and records it in the audit log of the installation and of each
   * organization. Of a database of both schemas all of it or nothing.
   */
  finish(ledger: readonly LedgerEntry[], evidence: Readonly<Record<string, string | number>>): Promise<FinishedRestore>;
}

/** Connects with the owner's login, as `migrate` does. `controlOwner` null: the read models of a further cell alone. */
export async function connectRestore(urls: { owner: string; controlOwner: string | null }): Promise<Restore> {
  await using stack = new AsyncDisposableStack();
  const models = stack.adopt(await connectOwner(urls.owner), (client) => client.end());
  const isOne = urls.owner === urls.controlOwner;
  const control =
    isOne || urls.controlOwner === null
      ? null
      : stack.adopt(await connectOwner(urls.controlOwner), (client) => client.end());
  const databases: readonly (readonly [pg.Client, readonly Schema[]])[] = [
    [models, isOne ? ['models', 'control'] : ['models']],
    ...(control === null ? [] : [[control, ['control']] as const]),
  ];
  const readAllLanes = async () =>
    (await Promise.all(databases.map(([client, schemas]) => readLanes(client, schemas)))).flat();
  const opened = stack.move();
  return {
    async readState() {
      const states = await Promise.all(
        databases.flatMap(([client, schemas]) => schemas.map((schema) => readEpoch(client, schema))),
      );
      return {
        server: states[0]?.server ?? '',
        hasOpenEpoch: states.every(({ hasOpenEpoch }) => hasOpenEpoch),
        topicEnd: states.reduce((latest, { topicEnd }) => (BigInt(topicEnd) > latest ? BigInt(topicEnd) : latest), 0n),
        lanes: await readAllLanes(),
      };
    },
    async selectOwn(messages) {
      const own: LedgerEntry[] = [];
      for (const [client, schemas] of databases)
        for (const schema of schemas) own.push(...(await selectEntries(client, schema, messages)));
      return own.sort((one, other) => (one.offset < other.offset ? -1 : 1));
    },
    async countMissing(ledger) {
      let missing = 0;
      for (const [client, schemas] of databases)
        for (const schema of schemas) missing += (await listMissing(client, schema, ledger)).length;
      return missing;
    },
    async finish(ledger, evidence) {
      const before = readWatermarks(await readAllLanes());
      const applied: AppliedEntries = new Map();
      let endedSessions = 0;
      let accountsToSetUp: string[] = [];
      for (const [client, schemas] of databases) {
        await client.query('begin');
        try {
          await client.query("select pg_advisory_xact_lock(hashtext('tenantscope.ledger'))");
          for (const schema of schemas)
            await applyMissingEntries(client, schema, await listMissing(client, schema, ledger), ledger, applied);
          if (schemas.includes('control')) {
            endedSessions = (await client.query('delete from control.console_session')).rowCount ?? 0;
            accountsToSetUp = await listAccountsToSetUp(client);
          }
          for (const schema of schemas) await client.query(`select ${schema}.begin_epoch()`);
          const entries = [...applied.values()].reduce((sum, count) => sum + count, 0);
          await recordEvidence(client, schemas, { ...evidence, entries, endedSessions });
          await client.query('commit');
        } catch (error) {
          await client.query('rollback').catch(() => {});
          throw error;
        }
      }
      const after = readWatermarks(await readAllLanes());
      const windows = feedNames.flatMap((feed) => {
        const fromMs = before.get(feed);
        const toMs = after.get(feed);
        return fromMs === undefined || toMs === undefined ? [] : [{ feed, fromMs, toMs }];
      });
      return { applied, endedSessions, accountsToSetUp, windows };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The rule by which the console removes a credential: a passkey, or a password with an authenticator, remains. */
async function listAccountsToSetUp(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select m.name from control.member m
       left join lateral (select array_agg(c.kind) as kinds from control.member_credential c where c.member_id = m.id and c.consumed_at is null) c on true
      where m.source = 'local' and m.disabled_at is null
        and not coalesce('passkey' = any(c.kinds) or array['password', 'totp'] <@ c.kinds, false) order by m.name`,
  );
  return rows.map(({ name }) => name);
}

const messagesPerStatement = 10_000;

async function selectEntries(
  client: pg.Client,
  schema: Schema,
  messages: readonly WrittenMessage[],
): Promise<LedgerEntry[]> {
  const named = messages.filter((message) => message.schema === schema);
  const own: LedgerEntry[] = [];
  for (let from = 0; from < named.length; from += messagesPerStatement) {
    const part = named.slice(from, from + messagesPerStatement);
    const { rows } = await client.query<{ isOwn: boolean }>(
      `select ${schema}.is_ledger_entry(m.entry) as "isOwn" from unnest($1::jsonb[]) with ordinality m (entry, index) order by m.index`,
      [part.map(({ text }) => text)],
    );
    for (const [index, { offset, text }] of part.entries())
      if (rows[index]?.isOwn) own.push({ ...(JSON.parse(text) as Omit<LedgerEntry, 'offset' | 'text'>), offset, text });
  }
  return own;
}

interface EpochState {
  readonly server: string;
  readonly hasOpenEpoch: boolean;
  readonly topicEnd: string;
}

async function readEpoch(client: pg.Client, schema: Schema): Promise<EpochState> {
  const { rows } = await client.query<EpochState>(
    `select ${schema}.current_timeline() as server, ${schema}.has_open_epoch() as "hasOpenEpoch",
            (select coalesce(max(topic_offset), -1) + 1 from ${schema}.ledger_entry)::text as "topicEnd"`,
  );
  return rows[0] ?? { server: '', hasOpenEpoch: false, topicEnd: '0' };
}

async function readLanes(client: pg.Client, schemas: readonly Schema[]): Promise<RestoredLane[]> {
  const lanes: RestoredLane[] = [];
  for (const schema of schemas) {
    const { rows } = await client.query<RestoredLane>(
      `select lane.cluster, lane.topic, lane.partition, lane.source, lane.next_offset::float8 as position,
              (extract(epoch from watermark.settled_at) * 1000)::float8 as "settledMs"
         from ${schema}.ingest_lane lane join ${schema}.lane_watermark watermark using (cluster_id, topic_id, partition)
        where lane.unbound_at is null order by lane.cluster, lane.topic, lane.partition`,
    );
    lanes.push(...rows);
  }
  return lanes;
}

function readWatermarks(lanes: readonly RestoredLane[]): Map<FeedName, number> {
  const watermarks = new Map<FeedName, number>();
  for (const feed of feedNames) {
    const sources = listFeedTopics(feed);
    const own = lanes.filter(({ source }) => sources.includes(source));
    if (own.length > 0) watermarks.set(feed, Math.min(...own.map(({ settledMs }) => settledMs)));
  }
  return watermarks;
}

/** Throws where the database was changed between the restore and now: such a change has the number of one that the ledger has. */
async function listMissing(client: pg.Client, schema: Schema, ledger: readonly LedgerEntry[]): Promise<LedgerEntry[]> {
  // An entry that was published twice has the same number twice.
  const own = new Map(ledger.filter((entry) => entry.schema === schema).map((entry) => [entry.number, entry]));
  const { rows } = await client.query<{ number: number; differs: boolean }>(
    `select n.number::float8 as number, e.number is not null as differs
       from unnest($1::bigint[], $2::timestamptz[]) n (number, recorded_at) left join ${schema}.ledger_entry e using (number)
      where e.recorded_at is distinct from n.recorded_at order by n.number`,
    [[...own.keys()], [...own.values()].map(({ recordedAt }) => recordedAt)],
  );
  const other = rows.find(({ differs }) => differs);
  if (other !== undefined) throw new ChangedAfterRestore(schema, other.number);
  return rows.flatMap(({ number }) => own.get(number) ?? []);
}

/** The restored database was changed before its restore was finished. */
export class ChangedAfterRestore extends Error {
  override name = 'ChangedAfterRestore';
  constructor(schema: string, number: number) {
    super(
      `the database was changed after it was restored: its entry ${number} in ${schema}.ledger_entry is another one than that of the ledger; restore the backup again, and finish the restore before any process starts`,
    );
  }
}

/** In the chain of each organization too, whose administrators do not see that of the installation. */
async function recordEvidence(
  client: pg.Client,
  schemas: readonly Schema[],
  evidence: Readonly<Record<string, string | number>>,
): Promise<void> {
  const details = JSON.stringify(evidence);
  if (!schemas.includes('control')) {
    await client.query(
      `select models.append_admin_event(null, 'restored', 'database', models.current_timeline(), null, $1)`,
      [details],
    );
    return;
  }
  await client.query(
    `select control.append_admin_event(chain, 'restored', 'database', control.current_timeline(), null, $1)
       from (select null::uuid as chain union all select id from control.organization order by 1 nulls first) chains`,
    [details],
  );
}
