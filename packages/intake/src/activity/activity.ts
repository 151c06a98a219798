import type { ActorType, Outcome, Severity, SourceType } from '@tenantscope/contract';
import type { Json, JsonObject } from '../json/value.ts';
import type { EventContext } from './event-context.ts';

/**
 * One provider record in the service's own terms; texts are unchanged. The id, the description and the stamp are added
 * later.
 */
export interface Activity {
  /** The provider's time as sent, and the name of the member that holds it. */
  readonly time: Json | undefined;
  readonly timeMember: string;
  /** The provider's name of the operation, trimmed; null makes the record a dead letter. */
  readonly action: string | null;
  /** The provider's own verdict, on our scale; the row's severity is never below it. Null where it has none. */
  readonly verdict: Severity | null;
  readonly outcome: Outcome | null;
  /** Whether a policy prevented what the operation names, whatever the outcome says; for the description. */
  readonly isBlocked?: boolean;
  readonly actor: Actor;
  readonly actorIp: string | null;
  readonly resource: Resource;
  readonly workload: string | null;
  readonly sourceType: SourceType;
  readonly sourceName: string | null;
  /** Whether `sourceName` is a category or table that the product does not list; such names are counted. */
  readonly isUnlisted?: boolean;
  readonly clientApp: string | null;
  readonly device: Device;
  readonly application: Application;
  readonly externalEventId: string | null;
  /** The Management Activity API's number; null for every other source. */
  readonly recordType: number | null;
  /** The source family of a record that its format reads with the reader of another one; it is the same row as under that one. */
  readonly family?: string;
  /** The provider's record, where the message has it inside of another; for rules of severity. */
  readonly record?: JsonObject;
  /** Everything else that the record tells. */
  readonly context: EventContext;
}

export interface Actor {
  readonly id: string | null;
  readonly name: string | null;
  readonly type: ActorType;
  /** The sign-in name, where `name` is another form of it. */
  readonly account?: string | null;
}

export interface Resource {
  readonly id: string | null;
  readonly name: string | null;
  readonly type: string | null;
}

export interface Device {
  readonly id: string | null;
  readonly name: string | null;
  /** null means unknown, which is not unmanaged. */
  readonly isManaged: boolean | null;
}

export interface Application {
  readonly clientId: string | null;
  readonly displayName: string | null;
}

export const noResource: Resource = { id: null, name: null, type: null };
