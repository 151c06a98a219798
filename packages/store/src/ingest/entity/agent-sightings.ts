import { dayMs } from '@tenantscope/contract';
import type pg from 'pg';
import { lockRecords } from '../record/record-lock.ts';
import { readOccurredMs, readTenantId } from '../row/log-lines.ts';
import type { PreparedRows } from '../row/log-rows.ts';
import { idsNamed } from './audit-only-agents.ts';
import { writeEntityChanges } from './entity-batch.ts';
import type { EntityChange, MergeParts } from './entity-change.ts';
import { entityLockClass, nameEntityLock } from './stored-entities.ts';

/** An agent that a log row names. */
export interface AgentSighting {
  tenantId: string;
  id: string;
  /** The UTC day of the row, in days since the epoch, from 1. */
  day: number;
  name: string | null;
}

/** How sightings become agents. Pure. */
export interface AgentProjection {
  /** The names of the parts that `createParts` gives. */
  readonly parts: readonly string[];
  /** Null for an id that no request could name. */
  readId(agentId: string): string | null;
  createParts(sighting: AgentSighting): readonly EntityChange[];
  merge: MergeParts;
}

/**
 * The sightings that an assigned lane has written, so that an agent costs one look-up per name and day instead of one per row. A
 * name that an agent of the inventory loses is looked up again on the next day.
 */
export interface AgentSightings {
  readonly projection: AgentProjection;
  /** The sightings of a batch that are not written yet, one per agent and name: its latest day. */
  collect(rows: PreparedRows, bytes: Buffer, stampMs: number): readonly AgentSighting[];
  /** Call after the transaction has been committed. */
  confirm(sightings: readonly AgentSighting[]): void;
}

/** Remembered sightings of a lane, above which all of them are looked up again. */
const sightingsMax = 10_000;

export function createAgentSightings(projection: AgentProjection): AgentSightings {
  const days = new Map<string, number>();
  return {
    projection,
    collect(rows, bytes, stampMs) {
      const { facts, starts } = rows;
      if (facts.length === 0) return noSightings;
      const latest = new Map<string, AgentSighting>();
      for (const { kind, agentId, agentName: name, line } of facts) {
        if (kind !== 'aiInteraction' || agentId === null) continue;
        const id = projection.readId(agentId);
        if (id === null) continue;
        const start = starts[line] as number;
        // A record from the future was seen today: its own day would stay the last one for ever.
        const day = Math.max(1, Math.floor(Math.min(readOccurredMs(bytes, start), stampMs) / dayMs));
        const sighting = { tenantId: readTenantId(rows, line), id, day, name };
        const key = sightingKey(sighting);
        if (day > (latest.get(key)?.day ?? days.get(key) ?? 0)) latest.set(key, sighting);
      }
      return [...latest.values()];
    },
    confirm(sightings) {
      if (days.size + sightings.length > sightingsMax) days.clear();
      for (const sighting of sightings) {
        const key = sightingKey(sighting);
        days.set(key, Math.max(sighting.day, days.get(key) ?? 0));
      }
    },
  };
}

const sightingKey = ({ tenantId, id, name }: AgentSighting): string => JSON.stringify([tenantId, id, name]);
const noSightings: readonly AgentSighting[] = Object.freeze([]);

/**
 * Writes the agents that log rows name and no inventory reports, in the transaction of the rows. An agent that an inventory
 * reports under that name is left unchanged, deleted or not.
 */
export async function writeAgentSightings(
  client: pg.PoolClient,
  sightings: readonly AgentSighting[],
  projection: AgentProjection,
  stamp: string,
): Promise<void> {
  if (sightings.length === 0) return;
  const locks = sightings.map(({ tenantId, id }) => nameEntityLock({ tenantId, entityKind: 'agent', id }));
  await lockRecords(client, entityLockClass, locks);
  const agents = [...Map.groupBy(sightings, ({ tenantId, id }) => `${tenantId}/${id.toLowerCase()}`).values()];
  const stored = await readNamedAgents(client, agents);
  const changes: EntityChange[] = [];
  for (const [index, spellings] of agents.entries()) {
    const named = stored.filter(({ position }) => position === index);
    if (named.some(({ evidence }) => evidence !== 'auditOnly')) continue;
    const other = named.find(({ is_deleted: isDeleted }) => !isDeleted);
    // Of several spellings the least is the id, in whatever order they arrive.
    const id = [...spellings, ...(other ? [other] : [])].map((one) => one.id).sort()[0] as string;
    if (other && other.id !== id)
      changes.push(...(await adoptParts(client, projection, spellings[0] as AgentSighting, other.id, id)));
    changes.push(...spellings.flatMap((sighting) => projection.createParts({ ...sighting, id })));
  }
  await writeEntityChanges(client, changes, () => stamp, projection.merge);
}

interface NamedAgent {
  position: number;
  id: string;
  evidence: string | null;
  is_deleted: boolean;
}

/** The stored agents that have one of these names, by the position of the name. */
async function readNamedAgents(
  client: pg.PoolClient,
  agents: readonly (readonly AgentSighting[])[],
): Promise<NamedAgent[]> {
  const named = agents.map(([sighting]) => sighting as AgentSighting);
  const { rows } = await client.query<NamedAgent>(
    `select given.position::integer - 1 as position, a.id, a.evidence, a.is_deleted
       from unnest($1::uuid[], $2::text[]) with ordinality as given (tenant_id, name, position)
       cross join lateral (${idsNamed('given')}) named
       join models.entity_agent a on a.tenant_id = given.tenant_id and a.id = named.id
      order by given.position, a.id`,
    [named.map(({ tenantId }) => tenantId), named.map(({ id }) => id.toLowerCase())],
  );
  return rows;
}

/** What is known of an agent under another spelling of its id. */
async function adoptParts(
  client: pg.PoolClient,
  { parts }: AgentProjection,
  { tenantId }: AgentSighting,
  from: string,
  id: string,
): Promise<EntityChange[]> {
  const { rows } = await client.query<{ part: string; version: string; digest: Buffer; facts: string; ms: number }>(
    `select part, version, digest, facts, (extract(epoch from changed_at) * 1000)::float8 as ms from models.entity_part
      where tenant_id = $1 and kind = 'agent' and id = $2 and part = any($3) and not is_removal`,
    [tenantId, from, parts],
  );
  return rows.map(({ part, version, digest, facts, ms }) => ({
    tenantId,
    entityKind: 'agent',
    id,
    part,
    isRemoval: false,
    version: Number(version),
    digest,
    facts: JSON.parse(facts) as EntityChange['facts'],
    aliases: [],
    changedAtMs: ms,
  }));
}
