import type { File } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { managementRecord } from './management-record.ts';

const files = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'o365.management-activity',
  rhythm: 'office hours',
  delay: 'hour',
} as const;

export const sharePointActivities: readonly Activity[] = [
  { ...files, weight: 55, record: (scene) => fileRecord(scene, 'FileAccessed', anyFile(scene)) },
  { ...files, weight: 22, record: (scene) => fileRecord(scene, 'FilePreviewed', anyFile(scene)) },
  { ...files, weight: 34, record: (scene) => fileRecord(scene, 'FileModified', anyFile(scene)) },
  { ...files, weight: 14, record: (scene) => fileRecord(scene, 'FileDownloaded', anyFile(scene)) },
  { ...files, weight: 10, record: (scene) => fileRecord(scene, 'FileUploaded', anyFile(scene)) },
  { ...files, weight: 8, record: (scene) => fileRecord(scene, 'FileSyncDownloadedFull', anyFile(scene)) },
  { ...files, weight: 4, record: (scene) => fileRecord(scene, 'FileDeleted', anyFile(scene)) },
  { ...files, weight: 3, record: renamedFile },
  { ...files, weight: 6, by: 'guest', record: (scene) => fileRecord(scene, 'FileAccessed', anyFile(scene)) },
  { ...files, weight: 10, rhythm: 'any hour', record: byTheService },
  { ...files, weight: 10, record: pageViewed },
  { ...files, weight: 5, record: (scene) => sharing(scene, 'CompanyLinkCreated', anyFile(scene)) },
  { ...files, weight: 4, record: (scene) => sharedWithColleague(scene) },
  { ...files, weight: 3, record: (scene) => sharedWithGuest(scene) },
  {
    ...files,
    weight: 1,
    record: (scene) => sharing(scene, 'AnonymousLinkCreated', harmlessFile(scene), { EventData: '<Type>View</Type>' }),
  },
];

/** A file operation (record type 6) on one file. */
export function fileRecord(scene: Scene, operation: string, file: File, rest: Record<string, unknown> = {}) {
  return managementRecord(
    scene,
    { recordType: 6, operation, workload: file.workload },
    { ...itemMembers(scene, file), FileSizeBytes: file.sizeBytes, ...rest },
  );
}

/** A sharing operation (record type 14) on one file. */
export function sharing(scene: Scene, operation: string, file: File, rest: Record<string, unknown> = {}) {
  return managementRecord(
    scene,
    { recordType: 14, operation, workload: file.workload },
    { ...itemMembers(scene, file), UniqueSharingId: scene.chance.guid(), ...rest },
  );
}

function itemMembers({ chance, company, device, person }: Scene, file: File): Record<string, unknown> {
  return {
    UserKey: `i:0h.f|membership|${person.puid.toLowerCase()}@live.com`,
    UserType: 0,
    CorrelationId: chance.guid(),
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

/** Mostly what the person's own department keeps; guests see what is open to them. */
function anyFile({ chance, company, person }: Scene): File {
  const shared = company.files.filter((file) => file.workload === 'SharePoint');
  if (person.isGuest) return chance.pick(shared.filter((file) => file.label === null));
  const own = company.files.filter((file) => file.site.name === person.displayName);
  const department = shared.filter((file) => file.site.department === person.department);
  const near = chance.is(0.3) || department.length === 0 ? own : department;
  return chance.pick(chance.is(0.7) ? near : shared);
}

function harmlessFile({ chance, company }: Scene): File {
  return chance.pick(company.files.filter((file) => file.label === null));
}

function renamedFile(scene: Scene) {
  const file = anyFile(scene);
  const name = file.name.replace('.', ` v${scene.chance.between(2, 9)}.`);
  return fileRecord(scene, 'FileRenamed', file, {
    DestinationFileName: name,
    DestinationFileExtension: file.extension,
  });
}

/** SharePoint's own account writes to files as an ordinary user would; only its name tells. */
function byTheService(scene: Scene) {
  return fileRecord(scene, 'FileModified', anyFile(scene), {
    UserId: 'app@sharepoint',
    UserKey: 'i:0i.t|00000003-0000-0ff1-ce00-000000000000|app@sharepoint',
    ClientIP: '',
    UserAgent: '',
    DeviceDisplayName: '',
  });
}

function pageViewed(scene: Scene) {
  const site = scene.chance.pick(scene.company.sites);
  return managementRecord(
    scene,
    { recordType: 4, operation: 'PageViewed', workload: 'SharePoint' },
    {
      UserType: 0,
      CorrelationId: scene.chance.guid(),
      EventSource: 'SharePoint',
      ItemType: 'Page',
      ObjectId: `${site.url}/SitePages/Home.aspx`,
      Site: site.id,
      SiteUrl: site.url,
      WebId: site.webId,
      UserAgent: scene.device.userAgent,
    },
  );
}

function sharedWithColleague(scene: Scene) {
  const colleague = scene.chance.pick(scene.company.people);
  return sharing(scene, 'AddedToSecureLink', anyFile(scene), {
    EventData: '<Type>Edit</Type>',
    TargetUserOrGroupName: colleague.userPrincipalName,
    TargetUserOrGroupType: 'Member',
  });
}

function sharedWithGuest(scene: Scene) {
  const guest = scene.chance.pick(scene.company.guests);
  return sharing(scene, 'SharingInvitationCreated', anyFile(scene), {
    TargetUserOrGroupName: guest.userPrincipalName,
    TargetUserOrGroupType: 'Guest',
  });
}
