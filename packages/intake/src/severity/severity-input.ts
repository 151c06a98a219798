import type { ActorType, Severity } from '@tenantscope/contract';
import type { ActionResult } from '../field/action-result.ts';
import type { JsonObject } from '../json/value.ts';

/** The parts of a record that decide its severity. */
export interface SeverityInput {
  readonly action: string | null;
  readonly record: JsonObject;
  readonly actorType: ActorType;
  readonly result: ActionResult | null;
  /** The provider's own severity: the row's is never below it. */
  readonly upstream: Severity | null;
}
