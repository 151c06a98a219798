import type { ShownValues } from './shown-values.ts';

/**
 * Members of a record that other fields show in any case, and the versions of the schema.
 */
export const servedMembers: ReadonlySet<string> = new Set([
  'CopilotLogVersion',
  'CreationTime',
  'Id',
  'Operation',
  'RecordType',
  'Version',
  'Workload',
]);

/** Members inside of others that other fields show in any case. */
export const servedInnerMembers: ReadonlySet<string> = new Set([
  'AISystemPlugin.Name',
  'AccessedResources.Name',
  'AccessedResources.SensitivityLabelId',
  'AccessedResources.Type',
  'AffectedItems.InternetMessageId',
  'AffectedItems.Subject',
  'Members.DisplayName',
  'Members.UPN',
  'ModelTransparencyDetails.ModelName',
]);

/** Contents that rows never show, at any depth: what a rule matched, and the text of messages. */
export const contentMembers: ReadonlySet<string> = new Set([
  'Body',
  'BodyPreview',
  'DetectedValues',
  'MessageContent',
  'MessageText',
  'SensitiveInformationDetections',
]);

/** Members and parameters that another field may show; then they are not repeated. */
export const comparedMembers: ReadonlyMap<string, readonly (keyof ShownValues)[]> = new Map<
  string,
  readonly (keyof ShownValues)[]
>([
  ...compare(['actorName', 'actorId'], ['UserId', 'UserKey', 'actorUPN', 'actorObjectId', 'actorPUID']),
  ...compare(['actorName', 'actorId'], ['SharePointMetaData.From', 'ExchangeMetaData.From', 'TokenObjectId']),
  ...compare(['actorIp'], ['ActorIP', 'ActorIpAddress', 'ClientIP', 'ClientIPAddress', 'SenderIp', 'UserIp']),
  ...compare(
    ['resourceId', 'resourceName'],
    [
      ...['AddOnGuid', 'AddOnName', 'AlertId', 'ArtifactId', 'ArtifactName', 'BotId', 'BotName', 'ChannelGuid'],
      ...['ChannelName', 'ChatName', 'ChatThreadId', 'ConnectorId', 'ConnectorName', 'EnvironmentId'],
      ...['EnvironmentName', 'FlowId', 'FlowName', 'InternetMessageId', 'InvestigationId', 'InvestigationName'],
      ...['ItemId', 'ItemName', 'ListId', 'ListItemUniqueId', 'ListTitle', 'MailboxGuid', 'MailboxOwnerUPN'],
      ...['MessageId', 'NetworkMessageId', 'ObjectDisplayName', 'ObjectId', 'ObjectName', 'Site', 'SiteUrl'],
      ...['SourceFileName', 'Subject', 'TeamGuid', 'TeamName', 'URL', 'Url', 'WebId', 'targetName', 'targetObjectId'],
      ...['CopilotEventData.ThreadId', 'ExchangeMetaData.MessageID', 'ExchangeMetaData.Subject'],
      ...['FileData.DocumentId', 'FileData.FileName', 'Item.Id', 'Item.InternetMessageId', 'Item.Subject'],
      ...['Message.Id', 'SharePointMetaData.FileName', 'SharePointMetaData.UniqueID', 'SharePointMetaData.UniqueId'],
    ],
  ),
  ...compare(['resourceName', 'deviceName'], ['DisplayName', 'Name']),
  ...compare(['resourceType'], ['ItemType', 'ObjectType']),
  ...compare(['clientApp'], ['Application', 'ClientProcessName', 'Common.ApplicationName']),
  ...compare(['deviceId'], ['DeviceId', 'MachineId']),
  ...compare(
    ['deviceName'],
    ['ClientMachineName', 'Common.DeviceName', 'DeviceDisplayName', 'DeviceName', 'EndpointMetaData.DeviceName'],
  ),
  ...compare(['clientId'], ['AppAccessContext.ClientAppId', 'AppId', 'ApplicationId', 'ClientAppId']),
  ...compare(['applicationName'], ['AppAccessContext.ClientAppName', 'ApplicationDisplayName']),
  ...compare(['category'], ['Category', 'auditEventCategory']),
  ...compare(['errorCode'], ['ErrorCode', 'ErrorNumber', 'LoginStatus']),
  ...compare(['outcomeReason'], ['ErrorDescription', 'ErrorMessage', 'FailureReason', 'LoginError', 'LogonError']),
  ...compare(['outcomeReason'], ['ResultStatus', 'ResultStatusDetail', 'resultType']),
  ...compare(['sessionId'], ['AADSessionId', 'AppAccessContext.AADSessionId', 'AppAccessContext.UniqueTokenId']),
  ...compare(['sessionId'], ['SessionId', 'UniqueTokenId']),
  ...compare(['correlationId'], ['AppAccessContext.CorrelationId', 'CorrelationId', 'InterSystemsId', 'correlationId']),
  ...compare(['userAgent'], ['ActorInfoString', 'UserAgent', 'additionalDetails.User-Agent']),
  ...compare(['deviceOs'], ['OS', 'OSName', 'Platform']),
  ...compare(['country'], ['ClientRegion']),
  ...compare(['protocol'], ['RequestType']),
  ...compare(['aiHost'], ['AppHost', 'CopilotEventData.AppHost']),
  ...compare(['agentId', 'resourceId'], ['AgentId', 'CopilotEventData.AgentId']),
  ...compare(['agentName', 'resourceName'], ['AgentName', 'CopilotEventData.AgentName']),
]);

function compare(
  fields: readonly (keyof ShownValues)[],
  members: readonly string[],
): (readonly [string, readonly (keyof ShownValues)[]])[] {
  return members.map((member) => [member, fields]);
}
