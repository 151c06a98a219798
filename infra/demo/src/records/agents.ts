import { guidOf } from '../chance.ts';
import type { Agent, Person } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { managementRecord } from './management-record.ts';

const governance = {
  by: 'admin',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'hour',
} as const;

export const agentActivities: readonly Activity[] = [
  {
    ...governance,
    weight: 3,
    by: 'anyone',
    record: (scene) => authoring(scene, 'BotComponentUpdate', anyAgent(scene)),
  },
  {
    ...governance,
    weight: 1,
    by: 'anyone',
    record: (scene) => authoring(scene, 'BotUpdateOperation-BotPublish', anyAgent(scene)),
  },
  {
    ...governance,
    weight: 1,
    by: 'anyone',
    record: (scene) => authoring(scene, 'BotUpdateOperation-BotNameUpdate', anyAgent(scene)),
  },
  {
    ...governance,
    weight: 1,
    record: (scene) => agentManaged(scene, 'DeployedAgent', anyAgent(scene), { forAllUsers: false }),
  },
  {
    ...governance,
    weight: 1,
    record: (scene) => agentManaged(scene, 'UpdatedAgent', anyAgent(scene), { forAllUsers: false }),
  },
  { ...governance, weight: 1, record: connectorPolicy },
];

/** What an author does to an agent in Copilot Studio (record type 256); always by its author. */
export function authoring(scene: Scene, operation: string, agent: Agent) {
  const environment = guidOf(scene.company.plan.azureTenantId, 'environment');
  return managementRecord(
    { ...scene, person: agent.creator },
    { recordType: 256, operation, workload: 'PowerPlatform', resultStatus: 'Success' },
    {
      UserType: 0,
      UserKey: agent.creator.id,
      ObjectId: agent.id,
      BotId: agent.id,
      BotName: agent.name,
      EnvironmentId: environment,
      EnvironmentName: `${scene.company.plan.name} (default)`,
    },
  );
}

/** What an administrator does with a finished agent (record type 384). */
export function agentManaged(
  scene: Scene,
  operation: 'DeployedAgent' | 'UpdatedAgent' | 'BlockedAgent' | 'RemovedAgent',
  agent: Agent,
  reach: { forAllUsers: boolean; users?: readonly Person[] },
) {
  return managementRecord(
    scene,
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

function connectorPolicy(scene: Scene) {
  const name = 'Connectors that may leave the company';
  return managementRecord(
    scene,
    { recordType: 187, operation: 'UpdateDlpPolicy', workload: 'PowerPlatform', resultStatus: 'Success' },
    {
      ObjectId: guidOf(scene.company.plan.azureTenantId, name),
      PolicyDisplayName: name,
      AdditionalInfo: '{"connectors":14}',
    },
  );
}

function anyAgent(scene: Scene): Agent {
  return scene.chance.pick(scene.company.agents);
}
