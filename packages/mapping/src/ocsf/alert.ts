import type { SecurityAlert } from '@tenantscope/contract';
import { isAddress, isEmail, readMd5 } from '../texts.ts';
import { describeEvidence } from './alert-evidence.ts';
import { describeProduct, findActivity } from './detection.ts';
import { classify, compact, type OcsfEvent, rateSeverity, toMs } from './event.ts';
import { Observables } from './observables.ts';

const statuses: Readonly<Record<string, readonly [number, string]>> = {
  new: [1, 'New'],
  inProgress: [2, 'In Progress'],
  resolved: [4, 'Resolved'],
};

/** An alert as a finding of OCSF: the alert is finding_info.uid, each of its states an event. */
export function toOcsfAlert(alert: SecurityAlert): OcsfEvent {
  const { id, title, description, status, category, createdDateTime, lastUpdateDateTime } = alert;
  const isFirst = lastUpdateDateTime === null || lastUpdateDateTime === createdDateTime;
  const [status_id, caption] = statuses[status ?? ''] ?? [0, status];
  return {
    ...classify({ class: 'detectionFinding', activity: findActivity(isFirst, alert.isResolved === true) }),
    ...rateSeverity(alert.severity),
    time: Date.parse(lastUpdateDateTime ?? alert.updatedAt),
    is_alert: true,
    ...compact({
      status_id,
      status: caption,
      message: title,
      start_time: toMs(alert.firstActivityDateTime),
      evidences: describeEvidence(alert),
      resources: listResources(alert),
      observables: listObservables(alert),
      unmapped: compact({
        version: alert.version,
        classification: alert.classification,
        threatDisplayName: alert.threatDisplayName,
        incidentId: alert.incidentId,
      }),
    }),
    finding_info: compact({
      uid: id,
      title: title ?? id,
      desc: description,
      types: category === null ? [] : [category],
      attacks: alert.mitreTechniques.map(describeTechnique),
      created_time: toMs(createdDateTime),
      modified_time: toMs(lastUpdateDateTime),
      first_seen_time: toMs(alert.firstActivityDateTime),
    }),
    metadata: describeProduct('security-alerts', alert),
  };
}

/** T1566.002 is a technique with a sub-technique. */
function describeTechnique(id: string) {
  const [technique = id] = id.split('.');
  return { technique: { uid: technique }, ...(technique === id ? {} : { sub_technique: { uid: id } }) };
}

const listResources = ({ groups, apps }: SecurityAlert) => [
  ...groups.map(({ id, name }) => compact({ uid: id, name, type: 'group' })),
  ...apps.map(({ id, name, kind }) => compact({ uid: id, name, type: kind })),
];

function listObservables({ users, groups, emails, apps, devices, files, ips }: SecurityAlert) {
  const observables = new Observables();
  for (const { id, userPrincipalName } of users) {
    observables.add('userUid', 'evidences[].user.uid', id);
    observables.add('userName', 'evidences[].user.name', userPrincipalName);
    observables.add('email', 'evidences[].user.email_addr', isEmail(userPrincipalName) ? userPrincipalName : null);
  }
  for (const { id } of groups) observables.add('groupUid', 'resources[].uid', id);
  for (const { internetMessageId, sender } of emails) {
    observables.add('messageUid', 'evidences[].email.message_uid', internetMessageId);
    observables.add('email', 'evidences[].email.from', isEmail(sender) ? sender : null);
  }
  for (const { id } of apps) observables.add('resourceUid', 'resources[].uid', id);
  for (const { id, name } of devices) {
    observables.add('deviceUid', 'evidences[].device.uid', id);
    observables.add('hostname', 'evidences[].device.hostname', name);
  }
  for (const file of files) {
    observables.add('fileName', 'evidences[].file.name', file.name);
    for (const hash of [file.sha256, file.sha1, readMd5(file)])
      observables.add('hash', 'evidences[].file.hashes[].value', hash);
  }
  for (const { id } of ips) observables.add('ip', 'evidences[].src_endpoint.ip', isAddress(id) ? id : null);
  return observables.list();
}
