import type { AiResource, EventAi } from '@tenantscope/contract';
import {
  firstText,
  isObject,
  type Json,
  type JsonObject,
  toBoolean,
  toList,
  toObject,
  toText,
} from '../../json/value.ts';
import { isAgentOperation, isRefused, readAiResourceId } from '../ai-interaction.ts';

/** An interaction with Copilot or another AI application; the record has neither prompt nor response. */
export function readAi(record: JsonObject): EventAi | null {
  if (!isObject(record.CopilotEventData) && !isAgentOperation(toText(record.Operation))) return null;
  const event = toObject(record.CopilotEventData);
  const resources = toList(event.AccessedResources).filter(isObject);
  return {
    agentId: firstText(record.AgentId, event.AgentId),
    agentName: firstText(record.AgentName, event.AgentName),
    host: firstText(event.AppHost, record.AppHost),
    model: readModel(event.ModelTransparencyDetails) ?? toText(record.AIModelName),
    plugins: readPlugins(event.AISystemPlugin),
    resources: resources.length === 0 ? null : resources.map(toResource),
    jailbreak: findFlag(toList(event.Messages), 'JailbreakDetected'),
    crossPromptInjection: findFlag(resources, 'XPIADetected'),
    blocked: findRefusal(resources),
  };
}

function readModel(details: Json | undefined): string | null {
  for (const model of toList(details)) {
    const name = isObject(model) ? firstText(model.ModelName, model.ModelProviderName) : null;
    if (name !== null) return name;
  }
  return null;
}

function readPlugins(plugins: Json | undefined): string[] | null {
  const names = toList(plugins).flatMap((plugin) => firstText(toObject(plugin).Name, toObject(plugin).Id) ?? []);
  return names.length === 0 ? null : names;
}

function toResource(resource: JsonObject): AiResource {
  return {
    id: readAiResourceId(resource),
    name: toText(resource.Name),
    type: toText(resource.Type),
    sensitivityLabelId: toText(resource.SensitivityLabelId),
  };
}

/** True if an element has the flag set, false if elements have it and none is set. */
function findFlag(elements: readonly Json[], name: string): boolean | null {
  let found: boolean | null = null;
  for (const element of elements) {
    const flag = toBoolean(toObject(element)[name]);
    if (flag === true) return true;
    if (flag === false) found = false;
  }
  return found;
}

/** Null where no resource has a status. */
function findRefusal(resources: readonly JsonObject[]): boolean | null {
  let found: boolean | null = null;
  for (const resource of resources) {
    if (isRefused(resource)) return true;
    if (toText(resource.Status) !== null) found = false;
  }
  return found;
}
