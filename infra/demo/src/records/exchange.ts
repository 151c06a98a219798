import type { Activity, ActivityContext } from '../activity.ts';
import type { Person } from '../company.ts';
import { managementRecord, named } from './management-record.ts';

const feed = 'microsoft365';
const format = 'o365.management-activity';
const mail = { by: 'anyone', feed, format, schedule: 'office hours', delay: 'hour' } as const;

export const exchangeActivities: readonly Activity[] = [
  { ...mail, weight: 40, record: (context) => itemRecord(context, 'Send', '\\Drafts') },
  { ...mail, weight: 8, record: (context) => itemRecord(context, 'Create', '\\Calendar') },
  { ...mail, weight: 14, record: (context) => mailItemsAccessed(context, 'Bind') },
  { ...mail, weight: 8, record: (context) => mailItemsAccessed(context, 'Sync') },
  {
    ...mail,
    weight: 10,
    record: (context) => movedItems(context, context.random.pick(['MoveToDeletedItems', 'SoftDelete'])),
  },
  { ...mail, weight: 2, record: (context) => movedItems(context, 'HardDelete') },
  { ...mail, weight: 2, record: tidyInboxRule },
  { ...mail, weight: 2, by: 'admin', record: mailboxPermission },
  { ...mail, weight: 1, by: 'admin', record: transportRule },
  { ...mail, weight: 30, schedule: 'any hour', record: serviceHousekeeping },
];

/** An Exchange administrative cmdlet by the person of the context. */
export function cmdlet(
  context: ActivityContext,
  operation: string,
  objectId: string,
  parameters: Record<string, string>,
) {
  return managementRecord(
    context,
    { recordType: 1, operation, workload: 'Exchange', resultStatus: 'True' },
    {
      ClientIP: `${context.address.includes(':') ? `[${context.address}]` : context.address}:${context.random.between(20_000, 60_000)}`,
      UserType: 2,
      ObjectId: objectId,
      ExternalAccess: false,
      OrganizationName: context.company.plan.domain,
      OriginatingServer: 'EX-DEMO-07 (15.20.9088.014)',
      Parameters: named(parameters),
    },
  );
}

/** `MailItemsAccessed`: Bind names the messages opened, Sync a whole folder taken away. */
export function mailItemsAccessed(
  context: ActivityContext,
  how: 'Bind' | 'Sync',
  count = context.random.between(1, 4),
) {
  return managementRecord(
    context,
    { recordType: 50, operation: 'MailItemsAccessed', workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(context.person),
      ClientIPAddress: context.address,
      ClientInfoString: how === 'Sync' ? 'Client=Outlook;Microsoft Outlook 16.0' : 'Client=OWA;Action=ViaProxy',
      ExternalAccess: false,
      LogonType: 0,
      OperationProperties: named({ MailAccessType: how, IsThrottled: 'False' }),
      Folders: [
        {
          Id: context.random.hex(32),
          Path: '\\Inbox',
          FolderItems: Array.from({ length: count }, () => ({ InternetMessageId: messageId(context) })),
        },
      ],
      OperationCount: count,
    },
  );
}

function itemRecord(context: ActivityContext, operation: string, folder: string) {
  const { random, company } = context;
  return managementRecord(
    context,
    { recordType: 2, operation, workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(context.person),
      ClientIPAddress: context.address,
      ClientInfoString: clientInfo(context),
      ExternalAccess: false,
      LogonType: 0,
      SessionId: random.guid(),
      Item: {
        Id: random.hex(40),
        InternetMessageId: messageId(context),
        ParentFolder: { Id: random.hex(32), Path: folder },
        SizeInBytes: random.between(2_000, 90_000),
        Subject: `${random.bool(0.4) ? 'RE: ' : ''}${random.pick(company.plan.mailSubjects)}`,
      },
    },
  );
}

function movedItems(context: ActivityContext, operation: string) {
  const { random, company } = context;
  const folder = { Id: random.hex(32), Path: '\\Inbox' };
  return managementRecord(
    context,
    { recordType: 3, operation, workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(context.person),
      ClientIPAddress: context.address,
      ClientInfoString: 'Client=MSExchangeRPC',
      ClientProcessName: 'OUTLOOK.EXE',
      ExternalAccess: false,
      LogonType: 0,
      AffectedItems: Array.from({ length: random.between(1, 3) }, () => ({
        Id: random.hex(40),
        InternetMessageId: messageId(context),
        ParentFolder: folder,
        Subject: random.pick(company.plan.mailSubjects),
      })),
      CrossMailboxOperation: false,
      Folder: folder,
    },
  );
}

function tidyInboxRule(context: ActivityContext) {
  const name = context.random.pick(['Newsletters', 'Invoices', 'Build reports']);
  const account = context.person.userPrincipalName.split('@')[0];
  return cmdlet(context, 'New-InboxRule', `${account}\\${name}`, {
    Name: name,
    MoveToFolder: name,
    SubjectContainsWords: name,
  });
}

function mailboxPermission(context: ActivityContext) {
  const owner = context.random.pick(context.company.employees);
  const reader = context.random.pick(context.company.employees);
  return cmdlet(context, 'Add-MailboxPermission', owner.userPrincipalName, {
    Identity: owner.userPrincipalName,
    User: reader.userPrincipalName,
    AccessRights: context.random.pick(['FullAccess', 'ReadPermission']),
  });
}

function transportRule(context: ActivityContext) {
  const name = context.random.pick(['Mark external senders', 'Add confidentiality notice']);
  return cmdlet(context, 'Set-TransportRule', name, { Identity: name, Priority: String(context.random.between(0, 9)) });
}

/** Two thirds of a real tenant's log are internal service operations. */
function serviceHousekeeping(context: ActivityContext) {
  const owner = context.random.pick(context.company.employees);
  const system = 'NT AUTHORITY\\SYSTEM (Microsoft.Exchange.ServiceHost)';
  return {
    ...cmdlet(context, 'Set-Mailbox', owner.userPrincipalName, {
      Identity: owner.mailboxGuid,
      ApplyMandatoryProperties: 'True',
    }),
    UserId: system,
    UserKey: system,
    UserType: 3,
    ClientIP: '',
    ExternalAccess: true,
  };
}

function mailbox(person: Person) {
  return { MailboxGuid: person.mailboxGuid, MailboxOwnerUPN: person.userPrincipalName };
}

function messageId(context: ActivityContext): string {
  return `<${context.random.hex(24)}@mail.${context.company.plan.domain}>`;
}

function clientInfo(context: ActivityContext): string {
  return context.random.bool(0.6) ? `Client=OWA;${context.device.userAgent};` : 'Client=MSExchangeRPC';
}
