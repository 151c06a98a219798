import { guidOf } from '../chance.ts';
import type { File } from '../company.ts';
import { bankAccount, creditCard } from '../info-types.ts';
import type { Activity, Scene } from '../scene.ts';
import { managementRecord, zonelessTime } from './management-record.ts';

const guarded = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'hour',
} as const;

export const dataLossActivities: readonly Activity[] = [
  { ...guarded, weight: 3, record: (scene) => dlpOnFile(scene, labelledFile(scene), scene.chance.pick(severities)) },
  { ...guarded, weight: 3, record: (scene) => dlpOnMail(scene, scene.chance.pick(severities)) },
  { ...guarded, weight: 3, record: labelApplied },
];

const severities = ['Low', 'Low', 'Medium', 'High'] as const;
type Severity = (typeof severities)[number];

/** A data loss rule matched a file (record type 11). The record's user is the rule engine; the person stands in the metadata. */
export function dlpOnFile(scene: Scene, file: File, severity: Severity) {
  const engine = 'DlpPolicyEventBasedAssistantOneDriveForBusiness';
  return managementRecord(
    scene,
    { recordType: 11, operation: 'DLPRuleMatch', workload: file.workload },
    {
      ...match(scene, severity),
      UserId: engine,
      UserKey: engine,
      UserType: 4,
      ClientIP: '',
      ObjectId: file.id,
      SharePointMetaData: {
        UniqueID: file.id,
        FileName: file.name,
        FileOwner: scene.person.displayName,
        FilePathUrl: file.url,
        From: scene.person.userPrincipalName,
        ItemCreationTime: zonelessTime(scene.atMs - 3_600_000),
        ItemLastModifiedTime: zonelessTime(scene.atMs - 60_000),
        SiteCollectionGuid: file.site.id,
        SiteCollectionUrl: file.site.url,
      },
    },
  );
}

function dlpOnMail(scene: Scene, severity: Severity) {
  const { chance, company, person } = scene;
  const MessageID = `<${chance.hex(24)}@mail.${company.plan.domain}>`;
  return managementRecord(
    scene,
    { recordType: 13, operation: 'DlpRuleMatch', workload: 'Exchange' },
    {
      ...match(scene, severity),
      UserId: 'DlpAgent',
      UserKey: '1153801116545789462',
      UserType: 4,
      ClientIP: '',
      ObjectId: MessageID,
      ExchangeMetaData: {
        From: person.userPrincipalName,
        To: [
          `desk@${chance.pick(['nordkai-terminals.example', 'brightwater-audit.example', 'avon-pathology.example'])}`,
        ],
        CC: [],
        BCC: [],
        MessageID,
        RecipientCount: 1,
        FileSize: chance.between(4_000, 60_000),
        Sent: zonelessTime(scene.atMs),
        Subject: chance.pick(company.plan.mailSubjects),
        UniqueID: chance.guid(),
      },
    },
  );
}

function match({ chance, company }: Scene, severity: Severity) {
  const policy = 'Payment data leaving the company';
  return {
    IncidentId: chance.guid(),
    SensitiveInfoDetectionIsIncluded: false,
    PolicyDetails: [
      {
        PolicyId: guidOf(company.plan.azureTenantId, 'policy', policy),
        PolicyName: policy,
        Rules: [
          {
            RuleId: guidOf(company.plan.azureTenantId, 'rule', policy, severity),
            RuleName: `${severity} volume of payment data`,
            RuleMode: 'Enable',
            Severity: severity,
            Actions: severity === 'High' ? ['BlockAccess', 'NotifyUser'] : ['NotifyUser'],
            ConditionsMatched: {
              SensitiveInformation: [
                {
                  SensitiveType: chance.pick([creditCard, bankAccount]).id,
                  Confidence: chance.pick([75, 85]),
                  Count: chance.between(1, 60),
                },
              ],
            },
          },
        ],
      },
    ],
  };
}

function labelApplied(scene: Scene) {
  const file = labelledFile(scene);
  return managementRecord(
    scene,
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
      UserAgent: scene.device.userAgent,
    },
  );
}

function labelledFile({ chance, company }: Scene): File {
  return chance.pick(company.files.filter((file) => file.label !== null));
}
