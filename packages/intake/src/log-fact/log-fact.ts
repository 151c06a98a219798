import type { Activity } from '../activity.ts';
import { bounded, makeVisible } from '../field/text.ts';
import type { Json, JsonObject } from '../json/value.ts';
import type { LogRow } from '../log-row.ts';

export type LogFactKind = 'aiInteraction' | 'agentLifecycle' | 'consent' | 'privilegedRole' | 'externalForwarding';

/** What rules and evidence look at beyond the columns of a log row. Never what people wrote to an AI, or it to them. */
export interface LogFact {
  readonly kind: LogFactKind;
  readonly agentId: string | null;
  readonly actorId: string | null;
  /** JSON text of an object; what is not known is left out. */
  readonly facts: string;
}

/** A record and what it was read as. */
export interface Told {
  readonly record: JsonObject;
  readonly activity: Activity;
  readonly row: Omit<LogRow, 'facts'>;
}

/** Null where the record only looks like one of its kind. */
export type FactReader = (told: Told) => Said | null;

export interface Said {
  readonly kind: LogFactKind;
  readonly agentId?: string | null;
  readonly facts: { readonly [name: string]: Json | undefined };
}

export function factOf({ row }: Told, { kind, agentId, facts }: Said): LogFact {
  return {
    kind,
    agentId: agentId ?? null,
    actorId: row.columns.actorId,
    facts: JSON.stringify(facts, (_name, value: unknown) => (value === null ? undefined : value)),
  };
}

/** A text of a record, short and with nothing hidden in it. */
export function shown(text: string | null, limit = longestText): string | null {
  return text === null ? null : bounded(makeVisible(bounded(text, limit)), limit);
}

/** Of one record; a real one names a few. */
export const mostItems = 100;
const longestText = 512;
