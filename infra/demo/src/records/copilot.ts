import type { Activity, ActivityContext } from '../activity.ts';
import type { Agent, Company, File } from '../company.ts';
import { deriveGuid, type Random } from '../random.ts';
import { firstParty } from './first-party.ts';
import { managementRecord } from './management-record.ts';

const assisted = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'days',
} as const;

export const copilotActivities: readonly Activity[] = [
  { ...assisted, weight: 26, record: (context) => copilotInteraction(context, {}) },
  {
    ...assisted,
    weight: 12,
    record: (context) => copilotInteraction(context, { agent: context.random.pick(context.company.agents) }),
  },
  // Guests ask agents, too.
  {
    ...assisted,
    weight: 1,
    by: 'guest',
    record: (context) => copilotInteraction(context, { agent: context.random.pick(context.company.agents) }),
  },
  {
    ...assisted,
    weight: 1,
    record: (context) => copilotInteraction(context, { agent: unreportedAgent(context.company) }),
  },
];

/** An agent of a maker's own environment, which no inventory covers: only the audit log names it. */
const unreportedAgent = ({ plan }: Company) => ({
  id: `T_${deriveGuid(plan.azureTenantId, 'unreported agent')}`,
  name: 'Meeting preparation',
  platform: 'agentBuilder' as const,
  files: [],
});

interface Interaction {
  readonly agent?: Pick<Agent, 'id' | 'name' | 'platform' | 'files'>;
  readonly files?: readonly File[];
  readonly jailbreak?: boolean;
  readonly injection?: boolean;
}

const hosts = ['Word', 'Teams', 'Outlook', 'Excel', 'M365App', 'Bing'] as const;

/** A prompt and its response (record type 261): the files that were read, never the text. */
export function copilotInteraction(context: ActivityContext, interaction: Interaction) {
  const { random, company, person, atMs } = context;
  const { agent, jailbreak = false, injection = false } = interaction;
  const readable = agent?.files.length ? agent.files : company.files;
  const appHost = agent?.platform === 'copilotStudio' ? 'Copilot Studio' : random.pick(hosts);
  const files = interaction.files ?? Array.from({ length: random.between(0, 3) }, () => random.pick(readable));
  return managementRecord(
    context,
    { recordType: 261, operation: 'CopilotInteraction', workload: 'Copilot' },
    {
      UserType: 0,
      UserKey: person.id,
      ClientRegion: company.plan.country,
      CopilotLogVersion: '1.0.0.0',
      ...(agent === undefined
        ? appContext(appHost, random)
        : { AgentId: agent.id, AgentName: agent.name, AppIdentity: `Copilot.Studio.${agent.id}` }),
      CopilotEventData: {
        AppHost: appHost,
        ThreadId: `19:${random.hex(32)}@thread.v2`,
        Contexts: [],
        MessageIds: [],
        Messages: [
          { Id: String(atMs), isPrompt: true, JailbreakDetected: jailbreak },
          { Id: String(atMs + random.between(600, 9_000)), isPrompt: false },
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
        AISystemPlugin: random.bool(0.3) ? [{ Id: 'BingWebSearch', Name: 'BingWebSearch', Version: '' }] : [],
        ModelTransparencyDetails: [
          { ModelProviderName: 'OpenAI', ModelName: random.pick(['DEEP_LEO', 'GPT-5']), ModelVersion: '' },
        ],
      },
    },
  );
}

/** The search engine does not always report the calling application. */
function appContext(appHost: string, random: Random) {
  if (appHost === 'Bing' && random.bool(0.4)) return {};
  return { AppAccessContext: { ClientAppId: firstParty.copilot.id, ClientAppName: firstParty.copilot.name } };
}
