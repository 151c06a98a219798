import type { Activity, ActivityContext } from '../activity.ts';
import type { Agent, Person } from '../company.ts';
import { deriveGuid } from '../random.ts';
import { managementRecord } from './management-record.ts';

const governance = {
  by: 'admin',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'hour',
} as const;

export const agentActivities: readonly Activity[] = [
  {
    ...governance,
    weight: 3,
    by: 'anyone',
    record: (context) => authoring(context, 'BotComponentUpdate', chooseAgent(context)),
  },
  {
    ...governance,
    weight: 1,
    by: 'anyone',
    record: (context) => authoring(context, 'BotUpdateOperation-BotPublish', chooseAgent(context)),
  },
  {
    ...governance,
    weight: 1,
    by: 'anyone',
    record: (context) => authoring(context, 'BotUpdateOperation-BotNameUpdate', chooseAgent(context)),
  },
  {
    ...governance,
    weight: 1,
    record: (context) => agentManaged(context, 'DeployedAgent', chooseAgent(context), { forAllUsers: false }),
  },
  {
    ...governance,
    weight: 1,
    record: (context) => agentManaged(context, 'UpdatedAgent', chooseAgent(context), { forAllUsers: false }),
  },
  { ...governance, weight: 1, record: connectorPolicy },
];

/** An author's change to an agent in Copilot Studio (record type 256); the author is always the actor. */
export function authoring(context: ActivityContext, operation: string, agent: Agent) {
  const environment = deriveGuid(context.company.plan.azureTenantId, 'environment');
  return managementRecord(
    { ...context, person: agent.creator },
    { recordType: 256, operation, workload: 'PowerPlatform', resultStatus: 'Success' },
    {
      UserType: 0,
      UserKey: agent.creator.id,
      ObjectId: agent.id,
      BotId: agent.id,
      BotName: agent.name,
      EnvironmentId: environment,
      EnvironmentName: `${context.company.plan.name} (default)`,
    },
  );
}

/** An administrator's action on a published agent (record type 384). */
export function agentManaged(
  context: ActivityContext,
  operation: 'DeployedAgent' | 'UpdatedAgent' | 'BlockedAgent' | 'RemovedAgent',
  agent: Agent,
  reach: { forAllUsers: boolean; users?: readonly Person[] },
) {
  return managementRecord(
    context,
    { recordType: 384, operation, workload: 'M365AdminCenter', resultStatus: 'Success' },
    {
      ObjectId: agent.id,
      AgentID: agent.id,
      AgentName: agent.name,
      AgentType: agent.platform === 'agentBuilder' ? 'Shared' : 'Custom',
      ForAllUsers: reach.forAllUsers,
      UserAssignments: (reach.users ?? []).map((person) => person.userPrincipalName),
    },
  );
}

function connectorPolicy(context: ActivityContext) {
  const name = 'Connectors that may leave the company';
  return managementRecord(
    context,
    { recordType: 187, operation: 'UpdateDlpPolicy', workload: 'PowerPlatform', resultStatus: 'Success' },
    {
      ObjectId: deriveGuid(context.company.plan.azureTenantId, name),
      PolicyDisplayName: name,
      AdditionalInfo: '{"connectors":14}',
    },
  );
}

function chooseAgent(context: ActivityContext): Agent {
  return context.random.pick(context.company.agents);
}
