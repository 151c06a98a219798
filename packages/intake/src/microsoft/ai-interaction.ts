import { decodeJsonText } from '../json/decode-text.ts';
import { firstText, type JsonObject, toText } from '../json/value.ts';

/**
 * Whether an operation is one of Agent 365: an agent is invoked, executes a tool or calls a model. Each has a record type of its own,
 * and the agent in the record itself.
 */
export function isAgentOperation(operation: string | null): boolean {
  return operation !== null && agentOperations.has(operation);
}

/** Whether the AI was refused a resource. A classifier that fired alone blocks nothing. */
export function isRefused(resource: JsonObject): boolean {
  return refusals.has(toText(resource.Status)?.toLowerCase() ?? '');
}

/** Shippers and tables write the interaction as JSON text, too. */
export function decodeInteraction(record: JsonObject): JsonObject {
  const event = record.CopilotEventData;
  const decoded = typeof event === 'string' ? decodeJsonText(event) : event;
  return decoded === event ? record : { ...record, CopilotEventData: decoded };
}

/** The id of the file entity, where there is one. */
export function readAiResourceId(resource: JsonObject): string | null {
  return firstText(resource.listItemUniqueId, resource.ListItemUniqueId, resource.Id, resource.ID);
}

const agentOperations: ReadonlySet<string> = new Set(['AIInvokeAgent', 'AIExecuteTool', 'AIInferenceCall']);
const refusals: ReadonlySet<string> = new Set(['failure', 'failed', 'blocked', 'denied']);
