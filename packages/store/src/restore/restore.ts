import { type FeedName, feedNames, listFeedTopics } from '@tenantscope/contract';
import { defaultCell } from '@tenantscope/runtime';
import type pg from 'pg';
import { findCommonEnd, type LedgerEnds } from '../ingest/lane/ledger-end.ts';
import { connectOwner } from '../migration/owner-connection.ts';
import { type AppliedEntries, applyMissingEntries } from './apply-entries.ts';
import { rejectLostMoves, requireOpenControl } from './lost-moves.ts';
import {
  countMissing,
  createStage,
  readComparedEnd,
  recordEntries,
  type Schema,
  skipEntries,
  stageEntries,
  type WrittenMessage,
} from './staged-entries.ts';

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
  /** How far each of the databases has the ledger's topic. */
  readonly topicEnd: bigint;
  readonly lanes: readonly RestoredLane[];
}

export interface FinishedRestore {
  readonly applied: AppliedEntries;
  readonly endedSessions: number;
  /** Local accounts, by name, that cannot sign in until they are set up again: their credentials have changed since the backup, and the ledger has none. */
  readonly accountsToSetUp: readonly string[];
  readonly windows: readonly FeedWindow[];
}

export interface FinishOptions {
  readonly rejectsLostMoves: boolean;
  /** The end of the topic, where its entries are given up: the database is complete without them. */
  readonly skipsLedgerTo?: bigint;
}

export interface Restore extends AsyncDisposable {
  readState(): Promise<RestoreState>;
  /**
   * Takes messages of the topic, in their order, into temporary tables: of an entry that the database has only that it is there. Returns how many of them are
   * entries of these databases: others may write to the topic too.
   */
  stage(messages: readonly WrittenMessage[]): Promise<number>;
  /** How many of the staged entries the database lacks. */
  countMissing(): Promise<number>;
  /**
   * Applies what the database lacks of the staged entries, ends all sessions of the console, opens the epoch, and records it in the audit log of the installation and of each
   * organization. All of it or nothing, except where the second of two databases does not commit. Throws `LostMoves` if that is to be rejected, and `ControlNotRestored`.
   */
  finish(evidence: Readonly<Record<string, string | number>>, options: FinishOptions): Promise<FinishedRestore>;
}

interface RestoredDatabase {
  readonly client: pg.Client;
  readonly schemas: readonly Schema[];
}

/** Connects with the owner's login, as `migrate` does. With the cell default the control database is part of the restore, elsewhere it is only read. */
export async function connectRestore(urls: { owner: string; controlOwner: string; cell?: string }): Promise<Restore> {
  const { owner, controlOwner, cell = defaultCell } = urls;
  await using stack = new AsyncDisposableStack();
  const connect = async (url: string) => stack.adopt(await connectOwner(url), (client) => client.end());
  const models = await connect(owner);
  const control = owner === controlOwner ? models : await connect(controlOwner);
  const databases: readonly RestoredDatabase[] =
    control === models
      ? [{ client: models, schemas: ['models', 'control'] }]
      : [
          { client: models, schemas: ['models'] },
          ...(cell === defaultCell ? [{ client: control, schemas: ['control'] as const }] : []),
        ];
  for (const { client, schemas } of databases) for (const schema of schemas) await createStage(client, schema);
  const readAllLanes = async () =>
    (await Promise.all(databases.map(({ client, schemas }) => readLanes(client, schemas)))).flat();
  let stagedEnd = 0n;
  const opened = stack.move();
  return {
    async readState() {
      const states = await Promise.all(
        databases.flatMap(({ client, schemas }) => schemas.map((schema) => readEpoch(client, schema))),
      );
      return {
        server: states[0]?.server ?? '',
        hasOpenEpoch: states.every(({ hasOpenEpoch }) => hasOpenEpoch),
        topicEnd: findCommonEnd(states),
        lanes: await readAllLanes(),
      };
    },
    async stage(messages) {
      let own = 0;
      for (const { offset } of messages.slice(-1)) stagedEnd = offset + 1n;
      for (const { client, schemas } of databases)
        for (const schema of schemas) own += await stageEntries(client, schema, messages);
      return own;
    },
    async countMissing() {
      let missing = 0;
      for (const { client, schemas } of databases)
        for (const schema of schemas) missing += await countMissing(client, schema);
      return missing;
    },
    async finish(evidence, { rejectsLostMoves, skipsLedgerTo }) {
      if (cell !== defaultCell) await requireOpenControl(control);
      const before = readWatermarks(await readAllLanes());
      // The rows of a tenant are in the read models.
      const settled = (await readLanes(models, ['models'])).map(({ settledMs }) => settledMs);
      const finished = await withTransactions(databases, async () => {
        const applied =
          skipsLedgerTo === undefined
            ? await applyStaged(databases, stagedEnd)
            : await skipStaged(databases, skipsLedgerTo);
        if (rejectsLostMoves) await rejectLostMoves(control, cell, settled);
        return { applied, ...(await openEpochs(databases, applied, evidence)) };
      });
      const after = readWatermarks(await readAllLanes());
      const windows = feedNames.flatMap((feed) => {
        const fromMs = before.get(feed);
        const toMs = after.get(feed);
        return fromMs === undefined || toMs === undefined ? [] : [{ feed, fromMs, toMs }];
      });
      return { ...finished, windows };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Commits when all of the work has succeeded. */
async function withTransactions<Value>(
  databases: readonly RestoredDatabase[],
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    for (const { client } of databases) await client.query('begin');
    const value = await work();
    for (const { client } of databases) await client.query('commit');
    return value;
  } catch (error) {
    for (const { client } of databases) await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function applyStaged(databases: readonly RestoredDatabase[], end: bigint): Promise<AppliedEntries> {
  const applied: AppliedEntries = new Map();
  for (const { client, schemas } of databases) {
    await client.query("select pg_advisory_xact_lock(hashtext('tenantscope.ledger'))");
    for (const schema of schemas) {
      await countMissing(client, schema);
      await applyMissingEntries(client, schema, applied);
      await recordEntries(client, schema, end);
    }
  }
  return applied;
}

async function skipStaged(databases: readonly RestoredDatabase[], end: bigint): Promise<AppliedEntries> {
  for (const { client, schemas } of databases) {
    await client.query("select pg_advisory_xact_lock(hashtext('tenantscope.ledger'))");
    for (const schema of schemas) await skipEntries(client, schema, end);
  }
  return new Map();
}

async function openEpochs(
  databases: readonly RestoredDatabase[],
  applied: AppliedEntries,
  evidence: Readonly<Record<string, string | number>>,
): Promise<Pick<FinishedRestore, 'endedSessions' | 'accountsToSetUp'>> {
  const entries = [...applied.values()].reduce((sum, count) => sum + count, 0);
  let endedSessions = 0;
  let accountsToSetUp: string[] = [];
  for (const { client, schemas } of databases) {
    if (schemas.includes('control')) {
      endedSessions = (await client.query('delete from control.console_session')).rowCount ?? 0;
      accountsToSetUp = await listAccountsToSetUp(client);
    }
    for (const schema of schemas) await client.query(`select ${schema}.begin_epoch()`);
    await recordEvidence(client, schemas, { ...evidence, entries, endedSessions });
  }
  return { endedSessions, accountsToSetUp };
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

interface EpochState extends LedgerEnds {
  readonly server: string;
  readonly hasOpenEpoch: boolean;
}

async function readEpoch(client: pg.Client, schema: Schema): Promise<EpochState> {
  const { rows } = await client.query<Omit<EpochState, keyof LedgerEnds> & { topicEnd: string }>(
    `select ${schema}.current_timeline() as server, ${schema}.has_open_epoch() as "hasOpenEpoch",
            (select coalesce(max(topic_offset), -1) + 1 from ${schema}.ledger_entry)::text as "topicEnd"`,
  );
  const { server = '', hasOpenEpoch = false, topicEnd = '0' } = rows[0] ?? {};
  return { server, hasOpenEpoch, topicEnd: BigInt(topicEnd), comparedEnd: await readComparedEnd(client, schema) };
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
