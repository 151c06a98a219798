import type { Outcome, Severity } from '@tenantscope/contract';
import type { Actor, Application, Device, Resource } from '../activity/activity.ts';
import type { EventContext } from '../activity/event-context.ts';
import type { RowReader } from '../activity/row-reader.ts';
import type { JsonObject } from '../json/value.ts';

/** What the columns of one table mean. */
export interface TableReading {
  /** In place of `ActionType`; null where that is the action, or else the table. */
  readonly action: string | null;
  readonly actor: Actor;
  readonly actorIp: string | null;
  readonly resource: Resource;
  readonly outcome: Outcome | null;
  /** The provider's verdict. */
  readonly upstream: Severity | null;
  readonly device: Device;
  readonly application: Application;
  readonly clientApp: string | null;
  /** What the rules of severity read: the row, or the record of another service within it. */
  readonly record: JsonObject;
  readonly context: Partial<EventContext>;
}

export type TableReader = (row: RowReader) => Partial<TableReading>;

export const noDevice: Device = { id: null, name: null, isManaged: null };
export const noApplication: Application = { clientId: null, displayName: null };
export const unknownActor: Actor = { id: null, name: null, type: 'unknown' };
export const systemActor: Actor = { id: null, name: null, type: 'system' };
