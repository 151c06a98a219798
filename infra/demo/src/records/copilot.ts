import type { Chance } from '../chance.ts';
import type { Agent, File } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { firstParty } from './first-party.ts';
import { managementRecord } from './management-record.ts';

const assisted = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'days',
} as const;

export const copilotActivities: readonly Activity[] = [
  { ...assisted, weight: 26, record: (scene) => copilotInteraction(scene, {}) },
  {
    ...assisted,
    weight: 12,
    record: (scene) => copilotInteraction(scene, { agent: scene.chance.pick(scene.company.agents) }),
  },
  // Guests ask agents, too.
  {
    ...assisted,
    weight: 1,
    by: 'guest',
    record: (scene) => copilotInteraction(scene, { agent: scene.chance.pick(scene.company.agents) }),
  },
];

interface Interaction {
  readonly agent?: Agent;
  readonly files?: readonly File[];
  readonly jailbreak?: boolean;
  readonly injection?: boolean;
}

const hosts = ['Word', 'Teams', 'Outlook', 'Excel', 'M365App', 'Bing'] as const;

/** A prompt and its answer (record type 261): which files were read for it, never what was said. */
export function copilotInteraction(scene: Scene, interaction: Interaction) {
  const { chance, company, person, atMs } = scene;
  const { agent, jailbreak = false, injection = false } = interaction;
  const readable = agent?.files.length ? agent.files : company.files;
  const appHost = agent?.platform === 'copilotStudio' ? 'Copilot Studio' : chance.pick(hosts);
  const files = interaction.files ?? Array.from({ length: chance.between(0, 3) }, () => chance.pick(readable));
  return managementRecord(
    scene,
    { recordType: 261, operation: 'CopilotInteraction', workload: 'Copilot' },
    {
      UserType: 0,
      UserKey: person.id,
      ClientRegion: company.plan.country,
      CopilotLogVersion: '1.0.0.0',
      ...(agent === undefined
        ? appContext(appHost, chance)
        : { AgentId: agent.id, AgentName: agent.name, AppIdentity: `Copilot.Studio.${agent.id}` }),
      CopilotEventData: {
        AppHost: appHost,
        ThreadId: `19:${chance.hex(32)}@thread.v2`,
        Contexts: [],
        MessageIds: [],
        Messages: [
          { Id: String(atMs), isPrompt: true, JailbreakDetected: jailbreak },
          { Id: String(atMs + chance.between(600, 9_000)), isPrompt: false },
        ],
        AccessedResources: files.map((file) => ({
          Id: file.id,
          listItemUniqueId: file.id,
          Name: file.name,
          Type: file.extension,
          SiteUrl: file.url,
          Action: 'Read',
          Status: 'success',
          PolicyDetails: '',
          XPIADetected: injection,
          ...(file.labelId === null ? {} : { SensitivityLabelId: file.labelId }),
        })),
        AISystemPlugin: chance.is(0.3) ? [{ Id: 'BingWebSearch', Name: 'BingWebSearch', Version: '' }] : [],
        ModelTransparencyDetails: [
          { ModelProviderName: 'OpenAI', ModelName: chance.pick(['DEEP_LEO', 'GPT-5']), ModelVersion: '' },
        ],
      },
    },
  );
}

/** The search engine does not always say by which application it was asked. */
function appContext(appHost: string, chance: Chance) {
  if (appHost === 'Bing' && chance.is(0.4)) return {};
  return { AppAccessContext: { ClientAppId: firstParty.copilot.id, ClientAppName: firstParty.copilot.name } };
}
