import type { Activity, ActivityContext } from '../activity.ts';
import type { File } from '../company.ts';
import { managementRecord } from './management-record.ts';

const files = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  schedule: 'office hours',
  delay: 'hour',
} as const;

export const sharePointActivities: readonly Activity[] = [
  { ...files, weight: 55, record: (context) => fileRecord(context, 'FileAccessed', chooseFile(context)) },
  { ...files, weight: 22, record: (context) => fileRecord(context, 'FilePreviewed', chooseFile(context)) },
  { ...files, weight: 34, record: (context) => fileRecord(context, 'FileModified', chooseFile(context)) },
  { ...files, weight: 14, record: (context) => fileRecord(context, 'FileDownloaded', chooseFile(context)) },
  { ...files, weight: 10, record: (context) => fileRecord(context, 'FileUploaded', chooseFile(context)) },
  { ...files, weight: 8, record: (context) => fileRecord(context, 'FileSyncDownloadedFull', chooseFile(context)) },
  { ...files, weight: 4, record: (context) => fileRecord(context, 'FileDeleted', chooseFile(context)) },
  { ...files, weight: 3, record: renamedFile },
  { ...files, weight: 6, by: 'guest', record: (context) => fileRecord(context, 'FileAccessed', chooseFile(context)) },
  { ...files, weight: 10, schedule: 'any hour', record: byTheService },
  { ...files, weight: 10, record: pageViewed },
  { ...files, weight: 5, record: (context) => sharing(context, 'CompanyLinkCreated', chooseFile(context)) },
  { ...files, weight: 4, record: (context) => sharedWithColleague(context) },
  { ...files, weight: 3, record: (context) => sharedWithGuest(context) },
  {
    ...files,
    weight: 1,
    record: (context) =>
      sharing(context, 'AnonymousLinkCreated', harmlessFile(context), { EventData: '<Type>View</Type>' }),
  },
];

/** A file operation (record type 6) on one file. */
export function fileRecord(
  context: ActivityContext,
  operation: string,
  file: File,
  rest: Record<string, unknown> = {},
) {
  return managementRecord(
    context,
    { recordType: 6, operation, workload: file.workload },
    { ...itemMembers(context, file), FileSizeBytes: file.sizeBytes, ...rest },
  );
}

/** A sharing operation (record type 14) on one file. */
export function sharing(context: ActivityContext, operation: string, file: File, rest: Record<string, unknown> = {}) {
  return managementRecord(
    context,
    { recordType: 14, operation, workload: file.workload },
    { ...itemMembers(context, file), UniqueSharingId: context.random.guid(), ...rest },
  );
}

function itemMembers({ random, company, device, person }: ActivityContext, file: File): Record<string, unknown> {
  return {
    UserKey: `i:0h.f|membership|${person.puid.toLowerCase()}@live.com`,
    UserType: 0,
    CorrelationId: random.guid(),
    EventSource: 'SharePoint',
    ItemType: 'File',
    ListId: file.site.listId,
    ListItemUniqueId: file.id,
    ObjectId: file.url,
    Site: file.site.id,
    SiteUrl: `${file.site.url}/`,
    WebId: file.site.webId,
    SourceFileName: file.name,
    SourceFileExtension: file.extension,
    SourceRelativeUrl: file.folder,
    UserAgent: device.userAgent,
    DeviceDisplayName: device.name,
    ...(device.isManaged === null ? {} : { IsManagedDevice: device.isManaged }),
    ...(file.labelId === null
      ? {}
      : { SensitivityLabelId: file.labelId, SensitivityLabelOwnerEmail: `label@${company.plan.domain}` }),
  };
}

/** Mostly files of the user's department; guests see files that are shared with them. */
function chooseFile({ random, company, person }: ActivityContext): File {
  const shared = company.files.filter((file) => file.workload === 'SharePoint');
  if (person.isGuest) return random.pick(shared.filter((file) => file.label === null));
  const own = company.files.filter((file) => file.site.name === person.displayName);
  const department = shared.filter((file) => file.site.department === person.department);
  const near = random.bool(0.3) || department.length === 0 ? own : department;
  return random.pick(random.bool(0.7) ? near : shared);
}

function harmlessFile({ random, company }: ActivityContext): File {
  return random.pick(company.files.filter((file) => file.label === null));
}

function renamedFile(context: ActivityContext) {
  const file = chooseFile(context);
  const name = file.name.replace('.', ` v${context.random.between(2, 9)}.`);
  return fileRecord(context, 'FileRenamed', file, {
    DestinationFileName: name,
    DestinationFileExtension: file.extension,
  });
}

/** SharePoint's system account writes to files like a regular user and differs only by name. */
function byTheService(context: ActivityContext) {
  return fileRecord(context, 'FileModified', chooseFile(context), {
    UserId: 'app@sharepoint',
    UserKey: 'i:0i.t|00000003-0000-0ff1-ce00-000000000000|app@sharepoint',
    ClientIP: '',
    UserAgent: '',
    DeviceDisplayName: '',
  });
}

function pageViewed(context: ActivityContext) {
  const site = context.random.pick(context.company.sites);
  return managementRecord(
    context,
    { recordType: 4, operation: 'PageViewed', workload: 'SharePoint' },
    {
      UserType: 0,
      CorrelationId: context.random.guid(),
      EventSource: 'SharePoint',
      ItemType: 'Page',
      ObjectId: `${site.url}/SitePages/Home.aspx`,
      Site: site.id,
      SiteUrl: site.url,
      WebId: site.webId,
      UserAgent: context.device.userAgent,
    },
  );
}

function sharedWithColleague(context: ActivityContext) {
  const colleague = context.random.pick(context.company.employees);
  return sharing(context, 'AddedToSecureLink', chooseFile(context), {
    EventData: '<Type>Edit</Type>',
    TargetUserOrGroupName: colleague.userPrincipalName,
    TargetUserOrGroupType: 'Member',
  });
}

function sharedWithGuest(context: ActivityContext) {
  const guest = context.random.pick(context.company.guests);
  return sharing(context, 'SharingInvitationCreated', chooseFile(context), {
    TargetUserOrGroupName: guest.userPrincipalName,
    TargetUserOrGroupType: 'Guest',
  });
}
