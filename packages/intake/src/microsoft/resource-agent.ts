import { noResource, type Resource } from '../activity/activity.ts';
import { firstText, type JsonObject, toObject } from '../json/value.ts';

/** An interaction with Copilot or another AI app: the agent that responded, else the thread of the interaction. */
export function readAgentResource(record: JsonObject): Resource {
  const event = toObject(record.CopilotEventData);
  const agent = firstText(record.AgentId, event.AgentId);
  if (agent !== null) return { id: agent, name: firstText(record.AgentName, event.AgentName), type: 'agent' };
  const thread = firstText(event.ThreadId, record.ThreadId);
  return thread === null ? noResource : { id: thread, name: firstText(event.AppHost), type: 'copilotThread' };
}
