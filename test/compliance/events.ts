import { randomUUID } from 'node:crypto';
import { at, hourMs, type InputRecord } from './input-records.ts';

/** Events of a tenant as the log, the detectors and the security platform report them. */
type Members = Readonly<Record<string, unknown>>;

const managementActivity = (occurredMs: number, members: Members): InputRecord => ({
  topic: 'activity',
  format: 'o365.management-activity',
  record: { Id: randomUUID(), CreationTime: at(occurredMs).slice(0, 19), UserType: 0, ...members },
});

/** An operation on a file; `id` is the unique id of its list item. */
export const fileEvent = (
  operation: string,
  fileId: string,
  who: string,
  occurredMs: number,
  more: Members = {},
): InputRecord =>
  managementActivity(occurredMs, {
    Operation: operation,
    RecordType: 6,
    Workload: 'SharePoint',
    ItemType: 'File',
    ListItemUniqueId: fileId,
    ObjectId: `https://contoso.example/sites/finance/${fileId}`,
    SourceFileName: `${fileId}.docx`,
    UserId: `${who}@contoso.example`,
    ...more,
  });

/** A prompt to an assistant or an agent; the record contains no text. */
export const interaction = (
  who: string | null,
  occurredMs: number,
  more: {
    agentId?: string;
    clientId?: string;
    resources?: readonly Members[];
    messages?: readonly Members[];
    record?: Members;
  } = {},
): InputRecord =>
  managementActivity(occurredMs, {
    Operation: 'CopilotInteraction',
    RecordType: 261,
    Workload: 'Copilot',
    ...(who === null ? {} : { UserId: `${who}@contoso.example` }),
    ...(more.agentId === undefined ? {} : { AgentId: more.agentId, AgentName: `Agent ${more.agentId}` }),
    ...(more.clientId === undefined ? {} : { AppIdentity: more.clientId, ClientAppId: more.clientId }),
    CopilotEventData: {
      AppHost: 'Word',
      ThreadId: randomUUID(),
      Messages: more.messages ?? [{ Id: '1', isPrompt: true, JailbreakDetected: false }],
      AccessedResources: more.resources ?? [],
    },
    ...more.record,
  });

export const jailbreak = [{ Id: '1', isPrompt: true, JailbreakDetected: true }];

/** A lifecycle event of an agent as Copilot Studio and the admin center log it. */
export const lifecycleEvent = (
  operation: string,
  agentId: string,
  occurredMs: number,
  more: Members = {},
): InputRecord =>
  managementActivity(occurredMs, {
    Operation: operation,
    RecordType: 256,
    Workload: 'PowerPlatform',
    UserId: 'maker@contoso.example',
    BotId: agentId,
    AgentId: agentId,
    AgentName: `Agent ${agentId}`,
    ...more,
  });

/** An administrator's consent to an application for everyone; with these permissions if the record contains them. */
export const adminConsent = (
  clientId: string,
  occurredMs: number,
  isAdmin = true,
  scope: string | null = null,
): InputRecord =>
  managementActivity(occurredMs, {
    Operation: 'Consent to application.',
    RecordType: 8,
    Workload: 'AzureActiveDirectory',
    ResultStatus: 'Success',
    UserId: 'admin@contoso.example',
    ObjectId: clientId,
    Target: [
      { ID: `ServicePrincipal_${clientId}`, Type: 2 },
      { ID: clientId, Type: 2 },
      { ID: 'ServicePrincipal', Type: 2 },
      { ID: clientId, Type: 4 },
    ],
    ModifiedProperties: [
      { Name: 'ConsentContext.IsAdminConsent', NewValue: isAdmin ? 'True' : 'False', OldValue: '' },
      { Name: 'TargetId.ServicePrincipalNames', NewValue: clientId, OldValue: '' },
      ...(scope === null
        ? []
        : [{ Name: 'ConsentAction.Permissions', NewValue: `[] => [[Id: 1, Scope: ${scope}]]`, OldValue: '' }]),
    ],
  });

/** A sign-in of a user to an application. */
export const appUse = (clientId: string, who: string, occurredMs: number, more: Members = {}): InputRecord =>
  managementActivity(occurredMs, {
    Operation: 'UserLoggedIn',
    RecordType: 15,
    Workload: 'AzureActiveDirectory',
    UserId: `${who}@contoso.example`,
    ApplicationId: clientId,
    ...more,
  });

/** An inbox rule that forwards to this address. */
export const forwarding = (mailbox: string, recipient: string, occurredMs: number): InputRecord =>
  managementActivity(occurredMs, {
    Operation: 'New-InboxRule',
    RecordType: 1,
    Workload: 'Exchange',
    ResultStatus: 'True',
    UserId: mailbox,
    ObjectId: `${mailbox}\\Forward`,
    OrganizationName: 'contoso.example',
    Parameters: [
      { Name: 'Mailbox', Value: mailbox },
      { Name: 'Name', Value: 'Forward' },
      { Name: 'ForwardTo', Value: recipient },
    ],
  });

/** An alerted episode, resolved after this many hours, or open. */
export const episode = (
  id: string,
  openedMs: number,
  resolvedAfterHours: number | null,
  more: { entity?: Members | null; actionGroup?: string; level?: string; status?: string } = {},
): InputRecord => ({
  topic: 'detection',
  type: 'detection',
  id,
  members: {
    kind: 'anomaly',
    severity: 'high',
    status: resolvedAfterHours === null ? 'open' : (more.status ?? 'resolved'),
    stateful: true,
    openedAt: at(openedMs),
    lastSeenAt: at(openedMs),
    resolvedAt: resolvedAfterHours === null ? null : at(openedMs + resolvedAfterHours * hourMs),
    summary: 'More than usual.',
    detector: { id: 'volume', name: 'Unusual volume' },
    entity: more.entity === undefined ? { type: 'agent', id: 'sales', name: 'Sales' } : more.entity,
    details: {
      level: more.level ?? 'alerted',
      current: 12,
      peakCurrent: 12,
      baseline: 1,
      score: 80,
      peakScore: 80,
      diffPercent: 1100,
      actionGroup: more.actionGroup ?? 'ai.interaction',
      activityLabel: 'Interactions',
      activityDescription: 'Interactions with AI.',
      episodeCount: 1,
    },
  },
});

/** A remediation that was applied and confirmed. */
export const action = (
  id: string,
  type: string,
  resource: { type: string; id: string },
  createdMs: number,
  more: Members = {},
): InputRecord => ({
  topic: 'action',
  type: 'action',
  id,
  members: {
    actionName: type,
    actionType: type,
    actorKind: 'human',
    rollupRung: 'confirmed',
    itemsTotal: 1,
    itemsSettled: 1,
    failedCount: 0,
    isSimulated: false,
    isIrreversible: false,
    createdAt: at(createdMs),
    updatedAt: at(createdMs),
    resourceType: resource.type,
    resourceId: resource.id,
    rungs: [{ rung: 'applied', at: at(createdMs), by: 'chief', byKind: 'human' }],
    ...more,
  },
});

export const policyScan = (id: string, policyId: string, scannedMs: number, more: Members = {}): InputRecord => ({
  topic: 'policyScan',
  type: 'policy-scan',
  id,
  members: {
    name: `Policy ${policyId}`,
    severity: 'medium',
    status: 'clear',
    resourceType: 'agent',
    resources: 0,
    scannedAt: at(scannedMs),
    policyId,
    ...more,
  },
});

/** An alert of the security platform, resolved after this many hours, or new. */
export const alert = (
  id: string,
  createdMs: number,
  resolvedAfterHours: number | null,
  evidence: readonly Members[],
): InputRecord => {
  const resolvedMs = resolvedAfterHours === null ? null : createdMs + resolvedAfterHours * hourMs;
  return {
    topic: 'rawAlert',
    record: {
      id,
      title: 'Something is wrong',
      severity: 'high',
      status: resolvedMs === null ? 'new' : 'resolved',
      createdDateTime: at(createdMs),
      lastUpdateDateTime: at(resolvedMs ?? createdMs),
      resolvedDateTime: resolvedMs === null ? null : at(resolvedMs),
      evidence,
    },
  };
};

export const mailEvidence = (networkMessageId: string): Members => ({
  '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
  networkMessageId,
  subject: 'Invoice',
});
export const agentEvidence = (agentId: string): Members => ({
  '@odata.type': '#microsoft.graph.security.aiAgentEvidence',
  agentId,
  agentName: `Agent ${agentId}`,
});
export const userEvidence = (id: string): Members => ({
  '@odata.type': '#microsoft.graph.security.userEvidence',
  userAccount: { azureAdUserId: id, userPrincipalName: `${id}@contoso.example` },
});
