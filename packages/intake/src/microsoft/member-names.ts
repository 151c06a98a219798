import type { Json, JsonObject } from '../json/value.ts';
import { comparedMembers, contentMembers, servedMembers } from './context/detail-members.ts';

/** The member with the record as JSON text or as an object, where a row has one. */
export function findAuditData(row: JsonObject): 'AuditData' | 'auditData' | 'auditdata' | null {
  if (row.AuditData !== undefined) return 'AuditData';
  if (row.auditData !== undefined) return 'auditData';
  return row.auditdata === undefined ? null : 'auditdata';
}

/**
 * The record with the spelling of the Management Activity API: warehouses keep columns in lower case, and some collectors begin names with a small letter. What is
 * inside of a member keeps its names there. A member that is there in both spellings is left as it is.
 */
export function restoreMemberNames(record: JsonObject): JsonObject {
  if (record.CreationTime !== undefined) return record;
  if (record.creationtime === undefined && record.creationTime === undefined) return record;
  const restored: Record<string, Json | undefined> = {};
  for (const [name, member] of Object.entries(record)) {
    const spelling = spellings.get(name.toLowerCase()) ?? name;
    const isTaken = spelling !== name && (Object.hasOwn(record, spelling) || Object.hasOwn(restored, spelling));
    Object.defineProperty(restored, isTaken ? name : spelling, { value: member, ...plainMember });
  }
  return restored;
}

/** Members that no list of details names, which are read or which published records have. */
const otherMembers =
  `Actor ActorContextId ActorInfoString ActorUserId AdditionalInfo AffectedItems AgentType AgentVersion AlertEntityId AlertLinks AlertType
  AppAccessContext AttachmentData AzureActiveDirectoryEventType BotId Channel Client ClientApplication ClientInfoString ClientRequestId ClientVersion
  CmdletVersion Comments Common CommunicationType CopilotEventData CrossMailboxOperation CustomUniqueId Data DataState DataType DestFolder DetectionMethod
  DetectionType DeviceProperties EffectiveOrganization EndpointMetaData EntityType EventData EventDeepLink EventSource ExchangeMetaData Experience
  ExtendedProperties ExternalAccess ExtraProperties FileData FileSize FileSizeBytes Folder Folders ForAllUsers FromApp GroupName IncidentId InternalLogonType
  IntraSystemId IsDocLib IsManagedDevice IsSuccess Item ItemCount ListBaseType LogonType LogonUserSid MailboxOwnerMasterAccountSid MailboxOwnerSid
  MalwareFamily Members Message MessageTime ModifiedProperties NonPIIParameters OperationCount OperationId OperationProperties OperationStatus OrganizationId
  OrganizationName OriginatingServer Parameters PhishConfidenceLevel PluginId PluginName Policy PolicyAction PolicyDetails PolicyId PropertyCollection Recipients
  RelativeUrl RequestId ResultCount RiskEventType RiskLevel RiskState RiskType Scope SecurityComplianceCenterEventType SensitiveInfoDetectionIsIncluded
  SensitiveInfoTypeData SensitivityLabelEventData SettingName Severity SharePointMetaData Source SourceFileExtension SourceRelativeUrl StartTime Status
  SupportTicketId SystemUserId Target TargetContextId TargetUserOrGroupName TargetUserOrGroupType ThreadId ThreatsAndDetectionTech TokenObjectId UniqueSharingId
  UrlClickAction UserDomain UserType UserUpn Verdict VirusInfo VirusVendor`.split(/\s+/);
const spellings: ReadonlyMap<string, string> = new Map(
  [...otherMembers, ...servedMembers, ...contentMembers, ...comparedMembers.keys()]
    .filter((name) => /^[A-Z]\w+$/.test(name))
    .map((name) => [name.toLowerCase(), name]),
);
const plainMember = { writable: true, enumerable: true, configurable: true };
