import { toEpochMs } from '../field/time.ts';
import { firstText, isObject, type JsonObject, toText } from '../json/value.ts';
import { type SourceFormatName, sourceShapes } from '../source/source-shapes.ts';
import { type Alert, type LastUpdate, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { readAzureEntities } from './azure-entities.ts';
import { Members } from './members.ts';
import { toAlertSeverity } from './severity.ts';
import { toAlertId, toClassification, toDetermination, toServiceSource, toStatus } from './vocabulary.ts';

/**
 * Alerts of Defender for Cloud, as its continuous export and its API write them. The export sends recommendations on the
 * same way: each is a row of the category `assessment` or `subAssessment`, resolved where the resource is healthy.
 */
export const defenderForCloudAlert: AlertFormat = {
  ...createFormat('defender-for-cloud.alert', 'microsoftDefenderForCloud', (record, members) =>
    readAssessmentKind(record) === null ? normaliseAlert(record, members) : normaliseAssessment(record, members),
  ),
  // In rows of Log Analytics `TenantId` is the workspace.
  readOrganization: (record) => (readAssessmentKind(record) === null ? null : (record.tenantId ?? record.TenantId)),
};

/** Rows of the table SecurityAlert of Log Analytics, where Sentinel collects the alerts of all products. */
export const sentinelAlert: AlertFormat = createFormat('sentinel.security-alert', 'microsoftSentinel', normaliseAlert);

/** Rows of the table SecurityIncident of Log Analytics, and incidents of Sentinel's API. */
export const sentinelIncident: AlertFormat = createFormat(
  'sentinel.security-incident',
  'microsoftSentinel',
  normaliseIncident,
);

/** The API has the members in `properties`; the export and Log Analytics have no such frame. */
function createFormat(
  name: SourceFormatName,
  product: string,
  read: (record: JsonObject, members: Members) => Omit<Alert, 'serviceSource'> & Partial<Pick<Alert, 'serviceSource'>>,
): AlertFormat {
  return {
    shape: sourceShapes[name],
    normalise: (record) => {
      const properties = record.properties ?? record.Properties;
      const alert = read(record, new Members(isObject(properties) ? properties : record));
      return { ...alert, serviceSource: alert.serviceSource ?? product };
    },
  };
}

/** The resource is gone, or the recommendation no longer applies to it. */
function isDeleted(record: JsonObject): boolean {
  const members = new Members(record);
  return deletions.some((name) => members.object(name).text('action')?.toLowerCase() === 'delete');
}

const deletions = ['assessmenteventdataenrichment', 'subassessmenteventdataenrichment'];

/** Told by the type of the resource, else by the path in its id; null for an alert. */
function readAssessmentKind(record: JsonObject): 'assessment' | 'subAssessment' | null {
  const [, sub] =
    assessmentType.exec(toText(record.type ?? record.Type) ?? '') ??
    assessmentPath.exec(toText(record.id ?? record.Id) ?? '') ??
    [];
  return sub === undefined ? null : sub === '' ? 'assessment' : 'subAssessment';
}

const assessmentType = /(sub|)(?:regulatoryCompliance)?assessments$/i;
const assessmentPath = /\/(sub|)(?:regulatoryCompliance)?assessments\/[^/]*$/i;

function normaliseAlert(record: JsonObject, members: Members): Alert {
  const status = toStatus(members.get('status'));
  const updated = readUpdate(members, [
    'timegenerated',
    'timegeneratedutc',
    'processingendtime',
    'processingendtimeutc',
  ]);
  return {
    ...unknownAlert,
    id: toAlertId(members.text('systemalertid', 'vendororiginalid') ?? firstText(record.name, record.id)),
    title: members.text('alertdisplayname', 'displayname', 'alertname', 'alerttype'),
    description: members.text('description'),
    severity: toAlertSeverity(members.text('alertseverity', 'severity', 'reportedseverity')),
    status,
    category: members.text('tactics', 'intent') ?? members.text('alerttype'),
    threatDisplayName: members.object('extendedproperties').text('threatname', 'threat name'),
    serviceSource: toServiceSource(members.text('productname', 'providername')),
    detectionSource: members.text('productcomponentname', 'alerttype'),
    alertWebUrl: members.text('alertlink', 'alerturi'),
    recommendedActions: readSteps(members),
    mitreTechniques: listTechniques(members),
    firstActivityMs: firstTime(members, 'starttime', 'starttimeutc'),
    lastActivityMs: firstTime(members, 'endtime', 'endtimeutc'),
    createdMs: firstTime(members, 'processingendtime', 'processingendtimeutc', 'timegenerated', 'timegeneratedutc'),
    resolvedMs: status === 'resolved' ? toEpochMs(updated.time) : null,
    lastUpdate: updated,
    elements: readAzureEntities(members.list('entities')),
  };
}

function normaliseIncident(record: JsonObject, members: Members): Alert {
  const owner = members.object('owner');
  const more = members.object('additionaldata');
  return {
    ...unknownAlert,
    id: toAlertId(members.text('incidentname') ?? toText(record.name) ?? members.text('incidentnumber')),
    title: members.text('title'),
    description: members.text('description'),
    severity: toAlertSeverity(members.text('severity')),
    // An active incident of Sentinel is being worked on, unlike one of Defender.
    status: members.text('status')?.toLowerCase() === 'active' ? 'inProgress' : toStatus(members.get('status')),
    classification: toClassification(members.text('classification')),
    determination: toDetermination(members.text('classificationreason')),
    category: 'incident',
    serviceSource: toServiceSource(members.text('providername')),
    assignedTo: owner.text('userprincipalname', 'email', 'assignedto'),
    incidentWebUrl: members.text('incidenturl'),
    incidentId: members.text('providerincidentid', 'incidentnumber'),
    mitreTechniques: listTechniques(more),
    firstActivityMs: firstTime(members, 'firstactivitytime', 'firstactivitytimeutc'),
    lastActivityMs: firstTime(members, 'lastactivitytime', 'lastactivitytimeutc'),
    createdMs: firstTime(members, 'createdtime', 'createdtimeutc'),
    resolvedMs: firstTime(members, 'closedtime', 'closedtimeutc'),
    lastUpdate: readUpdate(members, [
      'lastmodifiedtime',
      'lastmodifiedtimeutc',
      'timegenerated',
      'createdtime',
      'createdtimeutc',
    ]),
  };
}

/** Techniques and their sub-techniques, which have a member of their own. */
function listTechniques(members: Members): string[] {
  return [...new Set([...members.texts('techniques'), ...members.texts('subtechniques')])];
}

/** A list, or one text, which may have commas. */
function readSteps(members: Members): string | null {
  const steps = members.list('remediationsteps').flatMap((step) => toText(step) ?? []);
  return steps.length > 0 ? steps.join('\n') : members.text('remediationsteps');
}

/** The state of one resource under one recommendation. */
function normaliseAssessment(record: JsonObject, members: Members): Alert {
  const metadata = members.object('metadata');
  const state = members.object('status');
  const status = isDeleted(record) ? 'resolved' : toStatus(state.get('code') ?? members.get('state'));
  return {
    ...unknownAlert,
    id: toAlertId(toText(record.id ?? record.Id)),
    title: members.text('displayname') ?? members.text('description'),
    description: metadata.text('description') ?? members.text('description', 'impact'),
    severity: toAlertSeverity(state.text('severity') ?? metadata.text('severity')),
    status,
    category: readAssessmentKind(record),
    alertWebUrl: members.object('links').text('azureportal') ?? members.text('assessmentdetailslink'),
    recommendedActions: metadata.text('remediationdescription') ?? members.text('remediation'),
    createdMs: toEpochMs(state.get('firstevaluationdate')),
    resolvedMs: status === 'resolved' ? toEpochMs(state.get('statuschangedate')) : null,
    lastUpdate: {
      time: state.get('statuschangedate') ?? members.get('timegenerated'),
      member: 'properties.status.statusChangeDate',
    },
    elements: unknownAlert.elements,
  };
}

function firstTime(members: Members, ...names: readonly string[]): number | null {
  for (const name of names) {
    const ms = toEpochMs(members.get(name));
    if (ms !== null) return ms;
  }
  return null;
}

/** The first time that can be read; where there is none, the first that is there. */
function readUpdate(members: Members, names: readonly [string, ...string[]]): LastUpdate {
  const readable = names.find((name) => toEpochMs(members.get(name)) !== null);
  const member = readable ?? names.find((name) => members.text(name) !== null) ?? names[0];
  return { time: members.get(member), member };
}
