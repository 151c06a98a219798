/** How records of one format are told from what wraps them. */
export interface SourceShape {
  /** A record has all members of one of these groups. */
  readonly names: readonly (readonly string[])[];
  /** The provider's own page of records. */
  readonly page: Page | null;
}

/** An object that is not a record itself but carries records in a list. */
export interface Page {
  readonly list: string;
  /** A member that every record has: an object with it is a record, even with a member named like the list. */
  readonly recordMember: string;
}

const graphPage: Page = { list: 'value', recordMember: 'id' };
const azureMonitor: SourceShape = {
  names: [['category'], ['properties', 'time'], ['TimeGenerated']],
  page: { list: 'records', recordMember: 'category' },
};

/**
 * The shape of each format. A record without its names is still read where nothing inside of it is a record: collectors trim
 * members.
 */
export const sourceShapes = {
  'o365.management-activity': {
    names: [
      ['CreationTime'],
      ['AuditData'],
      ['auditData'],
      ['auditdata'],
      ['creationtime', 'operation'],
      ['creationTime', 'operation'],
      ['TimeGenerated', 'OfficeWorkload'],
      ['TimeGenerated', 'LLMEventData'],
    ],
    page: { list: 'value', recordMember: 'CreationTime' },
  },
  'entra.signin.azuremonitor': azureMonitor,
  'entra.audit.azuremonitor': azureMonitor,
  'entra.risk.azuremonitor': azureMonitor,
  'entra.provisioning.azuremonitor': azureMonitor,
  'graph.activity.azuremonitor': azureMonitor,
  'azure.activity.azuremonitor': azureMonitor,
  'azure.monitor': azureMonitor,
  'm365d.advanced-hunting': { ...azureMonitor, names: [['category'], ['TimeGenerated'], ['Timestamp']] },
  'entra.signin.graph': ofGraph(['createdDateTime']),
  'entra.audit.graph': ofGraph(['activityDateTime']),
  'entra.risk.graph': ofGraph(['riskEventType'], ['riskState'], ['detectedDateTime']),
  'graph.aiInteraction': ofGraph(['interactionType']),
  'google.reports.activity': {
    names: [
      ['id', 'events'],
      ['id', 'event_name'],
      ['record_type', 'event_name'],
      ['id', 'name'],
    ],
    page: { list: 'items', recordMember: 'id' },
  },
  // The envelope of an event hook has an `eventType` too.
  'okta.system-log': {
    names: [
      ['eventType', 'published'],
      ['eventtype', 'published'],
    ],
    page: null,
  },
  'exchange.message-trace': {
    names: [['Received'], ['received'], ['receivedDateTime']],
    page: { list: 'value', recordMember: 'Received' },
  },
  'graph.security.alert': ofGraph(['id', 'createdDateTime'], ['id', 'lastUpdateDateTime']),
  'graph.security.incident': ofGraph(['id', 'createdDateTime'], ['id', 'lastUpdateDateTime']),
  'graph.security.alert.legacy': ofGraph(['id', 'createdDateTime'], ['id', 'lastModifiedDateTime']),
  'mde.alert': ofGraph(['id', 'alertCreationTime'], ['id', 'lastUpdateTime']),
  'm365d.incidents-legacy': {
    names: [['incidentId'], ['alertId']],
    page: { list: 'value', recordMember: 'incidentId' },
  },
  'defender-for-cloud.alert': ofGraph(['id', 'properties'], ['Id', 'Properties'], ['AlertType'], ['alertType']),
  'sentinel.security-alert': ofGraph(['SystemAlertId'], ['AlertName'], ['id', 'properties']),
  'sentinel.security-incident': ofGraph(['IncidentNumber'], ['IncidentName'], ['id', 'properties']),
  'google.alertcenter.alert': { names: [['alertId']], page: { list: 'alerts', recordMember: 'alertId' } },
  'graph.user': ofDirectory(['id', 'userPrincipalName'], ['id', 'displayName']),
  'google.directory.user': ofDirectory(['primaryEmail']),
  'graph.riskyUser': ofDirectory(['riskState'], ['riskLevel']),
  'graph.copilotPackage': ofDirectory(['id', 'displayName']),
  'graph.agentIdentity': ofDirectory(['id', 'displayName']),
  'graph.agentRegistration': ofDirectory(['id', 'displayName']),
  'powerplatform.bot': ofDirectory(['botid'], ['botId'], ['cdsBotId']),
  'm365d.agentsinfo': ofDirectory(['AgentId'], ['EntraAgentID'], ['EntraAgentId'], ['properties']),
  'graph.riskyAgent': ofDirectory(['riskState'], ['riskLevel']),
  'graph.driveitem': ofDirectory(['id', 'name'], ['id', 'parentReference'], ['id', 'deleted']),
  'google.drive.file': ofDirectory(['id', 'name'], ['id', 'mimeType']),
  'graph.listitem': ofDirectory(['id', 'fields'], ['id', 'driveItem'], ['id', 'createdDateTime']),
  'graph.permission': ofDirectory(['id', 'roles'], ['id', 'link']),
  'graph.group': ofDirectory(['id', 'displayName']),
  'google.directory.group': ofDirectory(['id', 'email']),
  'graph.site': ofDirectory(['id', 'webUrl']),
  'graph.drive': ofDirectory(['id', 'driveType']),
  'graph.serviceprincipal': ofDirectory(['id', 'appId'], ['id', 'displayName']),
  'graph.riskyServicePrincipal': ofDirectory(['riskState'], ['riskLevel']),
  'graph.oauth2permissiongrant': ofDirectory(['clientId', 'scope']),
  'graph.approleassignment': ofDirectory(['appRoleId', 'principalId']),
  'graph.device': ofDirectory(['id', 'deviceId'], ['deviceId', 'displayName']),
  'graph.manageddevice': ofDirectory(['id', 'deviceName'], ['id', 'azureADDeviceId']),
  'graph.message': ofDirectory(['internetMessageId'], ['receivedDateTime'], ['sentDateTime']),
  'graph.subscribedsku': ofDirectory(['skuId'], ['skuPartNumber']),
} as const satisfies Record<string, SourceShape>;

export type SourceFormatName = keyof typeof sourceShapes;

function ofGraph(...names: readonly (readonly string[])[]): SourceShape {
  return { names, page: graphPage };
}

/** Objects that a delta reports as removed have nothing but their id. */
function ofDirectory(...names: readonly (readonly string[])[]): SourceShape {
  return { names: [...names, ['id', '@removed']], page: graphPage };
}
