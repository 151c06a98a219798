import { hash } from 'node:crypto';
import { asTenantId, dayMs, parseGuid } from '@tenantscope/contract';
import { firstGuid } from '../field/guid.ts';
import type { EntityPart } from '../message/record-outcome.ts';

/** An interaction with an AI names an agent. */
export interface AgentSighting {
  readonly tenantId: string;
  readonly id: string;
  /** The UTC day of the interaction, in days since the epoch, from 1. */
  readonly day: number;
  /** The name of the agent in the record. */
  readonly name: string | null;
}

/**
 * The id of an agent that a record names; null where no request could name it. An agent known only from the log keeps the
 * spelling of the record, so that its log rows are found by the id.
 */
export function readSightedId(agentId: string): string | null {
  if (agentId === '' || agentId.length > maxIdLength) return null;
  return parseGuid(agentId) === null ? agentId : firstGuid(agentId);
}

/** The parts of agents that the audit log names. They count only while no inventory reports the agent. */
export const auditPart = 'audit';
const namePart = 'audit:name';

export const auditParts: readonly string[] = [auditPart, namePart];

/**
 * The day and the name of an agent as parts. The greatest day wins, and the name of the latest day, so that every order of
 * records ends in the same agent. Days instead of times: an agent is rewritten once per day, not once per interaction.
 */
export function createSightingParts({ tenantId, id, day, name }: AgentSighting): EntityPart[] {
  const common = {
    tenantId: asTenantId(tenantId),
    entityKind: 'agent',
    id,
    isRemoval: false,
    version: day,
    aliases: [],
    changedAtMs: day * dayMs,
  } as const;
  const parts: EntityPart[] = [{ ...common, part: auditPart, digest: digestOf(''), facts: {} }];
  if (name !== null) parts.push({ ...common, part: namePart, digest: digestOf(name), facts: { displayName: name } });
  return parts;
}

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
const maxIdLength = 300;
