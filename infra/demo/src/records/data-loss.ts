import type { Activity, ActivityContext } from '../activity.ts';
import type { File } from '../company.ts';
import { bankAccount, creditCard } from '../info-types.ts';
import { deriveGuid } from '../random.ts';
import { managementRecord, zonelessTime } from './management-record.ts';

const guarded = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'hour',
} as const;

export const dataLossActivities: readonly Activity[] = [
  {
    ...guarded,
    weight: 3,
    record: (context) => dlpOnFile(context, chooseLabelledFile(context), context.random.pick(severities)),
  },
  { ...guarded, weight: 3, record: (context) => dlpOnMail(context, context.random.pick(severities)) },
  { ...guarded, weight: 3, record: labelApplied },
];

const severities = ['Low', 'Low', 'Medium', 'High'] as const;
type Severity = (typeof severities)[number];

/** A data loss rule matched a file (record type 11). The record's user is the rule engine; the actual user is in the metadata. */
export function dlpOnFile(context: ActivityContext, file: File, severity: Severity) {
  const engine = 'DlpPolicyEventBasedAssistantOneDriveForBusiness';
  return managementRecord(
    context,
    { recordType: 11, operation: 'DLPRuleMatch', workload: file.workload },
    {
      ...match(context, severity),
      UserId: engine,
      UserKey: engine,
      UserType: 4,
      ClientIP: '',
      ObjectId: file.id,
      SharePointMetaData: {
        UniqueID: file.id,
        FileName: file.name,
        FileOwner: context.person.displayName,
        FilePathUrl: file.url,
        From: context.person.userPrincipalName,
        ItemCreationTime: zonelessTime(context.atMs - 3_600_000),
        ItemLastModifiedTime: zonelessTime(context.atMs - 60_000),
        SiteCollectionGuid: file.site.id,
        SiteCollectionUrl: file.site.url,
      },
    },
  );
}

function dlpOnMail(context: ActivityContext, severity: Severity) {
  const { random, company, person } = context;
  const MessageID = `<${random.hex(24)}@mail.${company.plan.domain}>`;
  return managementRecord(
    context,
    { recordType: 13, operation: 'DlpRuleMatch', workload: 'Exchange' },
    {
      ...match(context, severity),
      UserId: 'DlpAgent',
      UserKey: '1153801116545789462',
      UserType: 4,
      ClientIP: '',
      ObjectId: MessageID,
      ExchangeMetaData: {
        From: person.userPrincipalName,
        To: [
          `desk@${random.pick(['nordkai-terminals.example', 'brightwater-audit.example', 'avon-pathology.example'])}`,
        ],
        CC: [],
        BCC: [],
        MessageID,
        RecipientCount: 1,
        FileSize: random.between(4_000, 60_000),
        Sent: zonelessTime(context.atMs),
        Subject: random.pick(company.plan.mailSubjects),
        UniqueID: random.guid(),
      },
    },
  );
}

function match({ random, company }: ActivityContext, severity: Severity) {
  const policy = 'Payment data leaving the company';
  return {
    IncidentId: random.guid(),
    SensitiveInfoDetectionIsIncluded: false,
    PolicyDetails: [
      {
        PolicyId: deriveGuid(company.plan.azureTenantId, 'policy', policy),
        PolicyName: policy,
        Rules: [
          {
            RuleId: deriveGuid(company.plan.azureTenantId, 'rule', policy, severity),
            RuleName: `${severity} volume of payment data`,
            RuleMode: 'Enable',
            Severity: severity,
            Actions: severity === 'High' ? ['BlockAccess', 'NotifyUser'] : ['NotifyUser'],
            ConditionsMatched: {
              SensitiveInformation: [
                {
                  SensitiveType: random.pick([creditCard, bankAccount]).id,
                  Confidence: random.pick([75, 85]),
                  Count: random.between(1, 60),
                },
              ],
            },
          },
        ],
      },
    ],
  };
}

function labelApplied(context: ActivityContext) {
  const file = chooseLabelledFile(context);
  return managementRecord(
    context,
    { recordType: 83, operation: 'FileSensitivityLabelApplied', workload: file.workload },
    {
      UserType: 0,
      EventSource: 'SharePoint',
      ItemType: 'File',
      ListItemUniqueId: file.id,
      ObjectId: file.url,
      SiteUrl: file.site.url,
      SourceFileName: file.name,
      SourceFileExtension: file.extension,
      DestinationLabel: file.labelId,
      SensitivityLabelEventData: { SensitivityLabelId: file.labelId, ActionSource: 3 },
      UserAgent: context.device.userAgent,
    },
  );
}

function chooseLabelledFile({ random, company }: ActivityContext): File {
  return random.pick(company.files.filter((file) => file.label !== null));
}
