import type { Person } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { managementRecord, named } from './management-record.ts';

const feed = 'microsoft365';
const format = 'o365.management-activity';
const mail = { by: 'anyone', feed, format, rhythm: 'office hours', delay: 'hour' } as const;

export const exchangeActivities: readonly Activity[] = [
  { ...mail, weight: 40, record: (scene) => itemRecord(scene, 'Send', '\\Drafts') },
  { ...mail, weight: 8, record: (scene) => itemRecord(scene, 'Create', '\\Calendar') },
  { ...mail, weight: 14, record: (scene) => mailItemsAccessed(scene, 'Bind') },
  { ...mail, weight: 8, record: (scene) => mailItemsAccessed(scene, 'Sync') },
  {
    ...mail,
    weight: 10,
    record: (scene) => movedItems(scene, scene.chance.pick(['MoveToDeletedItems', 'SoftDelete'])),
  },
  { ...mail, weight: 2, record: (scene) => movedItems(scene, 'HardDelete') },
  { ...mail, weight: 2, record: tidyInboxRule },
  { ...mail, weight: 2, by: 'admin', record: mailboxPermission },
  { ...mail, weight: 1, by: 'admin', record: transportRule },
  { ...mail, weight: 30, rhythm: 'any hour', record: serviceHousekeeping },
];

/** An Exchange administrative cmdlet by the person of the scene. */
export function cmdlet(scene: Scene, operation: string, objectId: string, parameters: Record<string, string>) {
  return managementRecord(
    scene,
    { recordType: 1, operation, workload: 'Exchange', resultStatus: 'True' },
    {
      ClientIP: `${scene.address.includes(':') ? `[${scene.address}]` : scene.address}:${scene.chance.between(20_000, 60_000)}`,
      UserType: 2,
      ObjectId: objectId,
      ExternalAccess: false,
      OrganizationName: scene.company.plan.domain,
      OriginatingServer: 'EX-DEMO-07 (15.20.9088.014)',
      Parameters: named(parameters),
    },
  );
}

/** `MailItemsAccessed`: Bind names the messages opened, Sync a whole folder taken away. */
export function mailItemsAccessed(scene: Scene, how: 'Bind' | 'Sync', count = scene.chance.between(1, 4)) {
  return managementRecord(
    scene,
    { recordType: 50, operation: 'MailItemsAccessed', workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(scene.person),
      ClientIPAddress: scene.address,
      ClientInfoString: how === 'Sync' ? 'Client=Outlook;Microsoft Outlook 16.0' : 'Client=OWA;Action=ViaProxy',
      ExternalAccess: false,
      LogonType: 0,
      OperationProperties: named({ MailAccessType: how, IsThrottled: 'False' }),
      Folders: [
        {
          Id: scene.chance.hex(32),
          Path: '\\Inbox',
          FolderItems: Array.from({ length: count }, () => ({ InternetMessageId: messageId(scene) })),
        },
      ],
      OperationCount: count,
    },
  );
}

function itemRecord(scene: Scene, operation: string, folder: string) {
  const { chance, company } = scene;
  return managementRecord(
    scene,
    { recordType: 2, operation, workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(scene.person),
      ClientIPAddress: scene.address,
      ClientInfoString: clientInfo(scene),
      ExternalAccess: false,
      LogonType: 0,
      SessionId: chance.guid(),
      Item: {
        Id: chance.hex(40),
        InternetMessageId: messageId(scene),
        ParentFolder: { Id: chance.hex(32), Path: folder },
        SizeInBytes: chance.between(2_000, 90_000),
        Subject: `${chance.is(0.4) ? 'RE: ' : ''}${chance.pick(company.plan.mailSubjects)}`,
      },
    },
  );
}

function movedItems(scene: Scene, operation: string) {
  const { chance, company } = scene;
  const folder = { Id: chance.hex(32), Path: '\\Inbox' };
  return managementRecord(
    scene,
    { recordType: 3, operation, workload: 'Exchange', resultStatus: 'Succeeded' },
    {
      ...mailbox(scene.person),
      ClientIPAddress: scene.address,
      ClientInfoString: 'Client=MSExchangeRPC',
      ClientProcessName: 'OUTLOOK.EXE',
      ExternalAccess: false,
      LogonType: 0,
      AffectedItems: Array.from({ length: chance.between(1, 3) }, () => ({
        Id: chance.hex(40),
        InternetMessageId: messageId(scene),
        ParentFolder: folder,
        Subject: chance.pick(company.plan.mailSubjects),
      })),
      CrossMailboxOperation: false,
      Folder: folder,
    },
  );
}

function tidyInboxRule(scene: Scene) {
  const name = scene.chance.pick(['Newsletters', 'Invoices', 'Build reports']);
  const account = scene.person.userPrincipalName.split('@')[0];
  return cmdlet(scene, 'New-InboxRule', `${account}\\${name}`, {
    Name: name,
    MoveToFolder: name,
    SubjectContainsWords: name,
  });
}

function mailboxPermission(scene: Scene) {
  const owner = scene.chance.pick(scene.company.people);
  const reader = scene.chance.pick(scene.company.people);
  return cmdlet(scene, 'Add-MailboxPermission', owner.userPrincipalName, {
    Identity: owner.userPrincipalName,
    User: reader.userPrincipalName,
    AccessRights: scene.chance.pick(['FullAccess', 'ReadPermission']),
  });
}

function transportRule(scene: Scene) {
  const name = scene.chance.pick(['Mark external senders', 'Add confidentiality notice']);
  return cmdlet(scene, 'Set-TransportRule', name, { Identity: name, Priority: String(scene.chance.between(0, 9)) });
}

/** Two thirds of a real tenant's log is the datacentre talking to itself. */
function serviceHousekeeping(scene: Scene) {
  const owner = scene.chance.pick(scene.company.people);
  const system = 'NT AUTHORITY\\SYSTEM (Microsoft.Exchange.ServiceHost)';
  return {
    ...cmdlet(scene, 'Set-Mailbox', owner.userPrincipalName, {
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

function messageId(scene: Scene): string {
  return `<${scene.chance.hex(24)}@mail.${scene.company.plan.domain}>`;
}

function clientInfo(scene: Scene): string {
  return scene.chance.is(0.6) ? `Client=OWA;${scene.device.userAgent};` : 'Client=MSExchangeRPC';
}
