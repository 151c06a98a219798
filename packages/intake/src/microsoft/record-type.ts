import { type Json, toInteger, toText } from '../json/value.ts';

/** Record types that are used by name. Any other number passes: Microsoft adds some every month. */
export const recordTypes = {
  ExchangeAdmin: 1,
  ExchangeItem: 2,
  ExchangeItemGroup: 3,
  SharePoint: 4,
  SharePointFileOperation: 6,
  OneDrive: 7,
  AzureActiveDirectory: 8,
  AzureActiveDirectoryAccountLogon: 9,
  ComplianceDLPSharePoint: 11,
  ComplianceDLPExchange: 13,
  SharePointSharingOperation: 14,
  AzureActiveDirectoryStsLogon: 15,
  SecurityComplianceCenterEOPCmdlet: 18,
  PowerBIAudit: 20,
  Yammer: 22,
  Discovery: 24,
  MicrosoftTeams: 25,
  ThreatIntelligence: 28,
  MailSubmission: 29,
  MicrosoftFlow: 30,
  ComplianceDLPSharePointClassification: 33,
  SharePointListOperation: 36,
  SharePointCommentOperation: 37,
  SecurityComplianceAlerts: 40,
  ThreatIntelligenceUrl: 41,
  MIPLabel: 43,
  PowerAppsApp: 45,
  ThreatIntelligenceAtpContent: 47,
  ExchangeItemAggregated: 50,
  DataInsightsRestApiAudit: 52,
  SharePointListItemOperation: 54,
  SharePointContentTypeOperation: 55,
  SharePointFieldOperation: 56,
  MicrosoftTeamsAdmin: 57,
  DLPEndpoint: 63,
  AirInvestigation: 64,
  Quarantine: 65,
  MCASAlerts: 98,
  ComplianceDLPExchangeClassification: 107,
  OMEPortal: 154,
  PowerPlatformAdminDlp: 187,
  PowerPlatformAdministratorActivity: 256,
  CopilotInteraction: 261,
  AIAppInteraction: 284,
  AadRiskDetection: 294,
  ConnectedAIAppInteraction: 328,
  TeamCopilotInteraction: 334,
  PowerBIFabric: 357,
} as const;

/** Data loss prevention, delivered in a separate feed. */
export const dlpRecordTypes: ReadonlySet<number> = new Set([
  recordTypes.ComplianceDLPSharePoint,
  recordTypes.ComplianceDLPExchange,
  recordTypes.ComplianceDLPSharePointClassification,
  recordTypes.DLPEndpoint,
  recordTypes.ComplianceDLPExchangeClassification,
]);

/** The number, from a number, a number as text, a name (`ExchangeAdmin`) or a camel-case name (`exchangeAdmin`). */
export function readRecordType(value: Json | undefined): number | null {
  const number = toInteger(value);
  if (number !== null) return number;
  const name = toText(value);
  return name === null ? null : (numbers.get(name.toLowerCase()) ?? null);
}

const numbers = new Map<string, number>(
  Object.entries(recordTypes).map(([name, number]) => [name.toLowerCase(), number]),
);
