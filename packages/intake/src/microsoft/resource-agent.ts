import { noResource, type Resource } from '../activity.ts';
import { firstText, type JsonObject, objectOf } from '../json/value.ts';

/** An interaction with Copilot or another AI app: the agent that answered, else the thread it happened in. */
export function agentResource(record: JsonObject): Resource {
  const event = objectOf(record.CopilotEventData);
  const agent = firstText(record.AgentId, event.AgentId);
  if (agent !== null) return { id: agent, name: firstText(record.AgentName, event.AgentName), type: 'agent' };
  const thread = firstText(event.ThreadId, record.ThreadId);
  return thread === null ? noResource : { id: thread, name: firstText(event.AppHost), type: 'copilotThread' };
}
