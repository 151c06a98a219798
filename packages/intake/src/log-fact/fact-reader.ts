import type { Activity } from '../activity/activity.ts';
import type { LogRow } from '../activity/log-row.ts';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { makeVisible, truncateText } from '../field/text.ts';
import type { Json, JsonObject } from '../json/value.ts';
import type { LogFact, LogFactKind } from './log-fact.ts';

/** A record and the activity and row it was read as. */
export interface FactInput {
  readonly record: JsonObject;
  readonly activity: Activity;
  readonly row: Omit<LogRow, 'facts' | 'source'>;
}

/** Null where the action matches but the record is not of the kind. */
export type FactReader = (input: FactInput) => ReportedFact | null;

export interface ReportedFact {
  readonly kind: LogFactKind;
  readonly agentId?: string | null;
  readonly agentName?: string | null;
  readonly clientId?: string | null;
  readonly appHost?: string | null;
  readonly event?: string | null;
  readonly facts: { readonly [name: string]: Json | undefined };
}

export function serializeFact(
  { row }: FactInput,
  { kind, agentId, agentName, clientId, appHost, event, facts }: ReportedFact,
): LogFact {
  return {
    kind,
    agentId: agentId ?? null,
    agentName: agentName ?? null,
    clientId: clientId ?? null,
    appHost: appHost ?? null,
    event: event ?? null,
    actorId: row.columns.actorId,
    facts: JSON.stringify(facts, (_name, value: unknown) => (value === null ? undefined : value)),
  };
}

/** A text of a record, truncated, with secrets masked and invisible characters made visible. */
export function toVisibleText(text: string | null, limit = maxTextLength): string | null {
  return text === null ? null : truncateText(makeVisible(maskSecretText(truncateText(text, limit))), limit);
}

/** Per record; real records name a few. */
export const maxItems = 100;
const maxTextLength = 512;
