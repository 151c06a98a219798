import type { ProviderRecord } from './detection.ts';

/** A record of the Management Activity API. */
export function suiteRecord(
  Operation: string,
  RecordType: number,
  Workload: string,
  changes: ProviderRecord = {},
): ProviderRecord {
  return {
    CreationTime: '2026-11-20T08:15:30',
    Operation,
    OrganizationId: '7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c5d',
    RecordType,
    UserKey: '10032001ABCDEF01',
    UserType: 0,
    Version: 1,
    Workload,
    UserId: 'ada@contoso.example',
    ClientIP: '203.0.113.7',
    ...changes,
  };
}

/** A cmdlet of Exchange Online, which a person ran, with its parameters. */
export function cmdlet(
  Operation: string,
  parameters: Readonly<Record<string, string>> = {},
  changes: ProviderRecord = {},
): ProviderRecord {
  return suiteRecord(Operation, 1, 'Exchange', {
    UserType: 2,
    ResultStatus: 'True',
    ObjectId: 'EURP193A001.PROD.OUTLOOK.COM/Microsoft Exchange Hosted Organizations/contoso/bob',
    OrganizationName: 'contoso.example',
    OriginatingServer: 'AM0PR01MB1234 (15.20.4200.000)',
    ExternalAccess: false,
    ClientIP: '203.0.113.7:51234',
    Parameters: Object.entries(parameters).map(([Name, Value]) => ({ Name, Value })),
    ...changes,
  });
}

/** An event of a file in SharePoint or OneDrive. */
export function file(Operation: string, changes: ProviderRecord = {}, RecordType = 6): ProviderRecord {
  return suiteRecord(Operation, RecordType, 'SharePoint', {
    UserKey: 'i:0h.f|membership|10032001abcdef01@live.com',
    ObjectId: 'https://contoso.sharepoint.example/sites/finance/Shared Documents/Budget.xlsx',
    SiteUrl: 'https://contoso.sharepoint.example/sites/finance/',
    SourceRelativeUrl: 'Shared Documents',
    SourceFileName: 'Budget.xlsx',
    SourceFileExtension: 'xlsx',
    ListItemUniqueId: '4b3a2918-0716-4f5e-8d4c-3b2a19180706',
    ItemType: 'File',
    EventSource: 'SharePoint',
    UserAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36',
    ...changes,
  });
}

/** An interaction with Copilot; `event` are members of `CopilotEventData`. */
export function copilot(event: ProviderRecord = {}, changes: ProviderRecord = {}): ProviderRecord {
  return suiteRecord('CopilotInteraction', 261, 'Copilot', {
    CopilotEventData: {
      AISystemPlugin: [],
      AccessedResources: [],
      AppHost: 'Word',
      Contexts: [],
      MessageIds: [],
      Messages: [
        { Id: '1716443300000', isPrompt: true, JailbreakDetected: false },
        { Id: '1716443300001', isPrompt: false },
      ],
      ModelTransparencyDetails: [],
      ThreadId: '19:thread@thread.v2',
      ...event,
    },
    CopilotLogVersion: '1.0.0.0',
    ...changes,
  });
}
