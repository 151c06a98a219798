import { type Detection, productVersion } from '@tenantscope/contract';
import { type Attributes, classify, compact, type OcsfEvent, ocsfVersion, rateSeverity, toMs } from './event.ts';
import { Observables, type ObservableType } from './observables.ts';

const statuses: Readonly<Record<string, readonly [number, string]>> = {
  open: [1, 'New'],
  dismissed: [3, 'Suppressed'],
  resolved: [4, 'Resolved'],
};

/** The activity that a state of a finding reports. */
export const findActivity = (isFirst: boolean, isClosed: boolean): string =>
  isClosed ? 'Close' : isFirst ? 'Create' : 'Update';

/** Tenantscope as the product of a finding that it made or passes on. */
export const describeProduct = (
  feed: string,
  record: { tenantId: string; changeId: string; updatedAt: string },
): Attributes => ({
  version: ocsfVersion,
  product: { name: 'Tenantscope', vendor_name: 'Tenantscope', version: productVersion },
  uid: record.changeId,
  log_name: feed,
  logged_time: toMs(record.updatedAt),
  tenant_uid: record.tenantId,
  profiles: ['host'],
});

/** A detection as a finding of OCSF: the episode is finding_info.uid, each of its states an event. */
export function toOcsfDetection(detection: Detection): OcsfEvent {
  const { id, kind, entity, status, summary, detector, openedAt, lastSeenAt, resolvedAt, updatedAt, version } =
    detection;
  const anomaly = readAnomaly(detection.details);
  const [status_id, caption] = statuses[status ?? ''] ?? [status === null ? 0 : 99, status];
  return {
    ...classify({ class: 'detectionFinding', activity: findActivity(version === 1, resolvedAt !== null) }),
    ...rateSeverity(detection.severity),
    time: Date.parse(updatedAt),
    ...compact({
      status_id,
      status: caption,
      message: summary,
      is_alert: typeof anomaly.level === 'string' ? anomaly.level === 'alerted' : null,
      start_time: toMs(openedAt),
      end_time: toMs(resolvedAt),
      resources: entity && describeEntity(entity),
      anomaly_analyses: describeAnalysis(anomaly, entity, kind),
      observables: listObservables(entity),
      unmapped: compact({ version, stateful: detection.stateful, details: compact(anomaly) }),
    }),
    finding_info: compact({
      uid: id,
      title: summary ?? detector?.name ?? kind,
      analytic: detector && compact({ uid: detector.id, name: detector.name, type_id: 3 }),
      types: [kind, anomaly.actionGroup].filter((type) => typeof type === 'string'),
      first_seen_time: toMs(openedAt),
      last_seen_time: toMs(lastSeenAt),
      created_time: toMs(openedAt),
      modified_time: toMs(updatedAt),
    }),
    metadata: describeProduct('detections', detection),
  };
}

type Anomaly = Readonly<Record<string, unknown>>;

const readAnomaly = (details: Detection['details']): Anomaly => (details ?? {}) as Anomaly;

const describeEntity = ({ id, name, type }: NonNullable<Detection['entity']>) => {
  const resource = id === null && name === null ? undefined : compact({ uid: id, name: name ?? id, type });
  return resource && [resource];
};

/** What was counted, against what was expected. */
function describeAnalysis({ actionGroup, peakCurrent, baseline }: Anomaly, entity: Detection['entity'], kind: string) {
  if (typeof peakCurrent !== 'number') return undefined;
  const observation_parameter = typeof actionGroup === 'string' ? actionGroup : kind;
  const observe = (value: number) => ({ observation_parameter, observations: [{ value: String(value) }] });
  return [
    {
      analysis_targets: [compact({ name: entity?.name ?? entity?.id ?? 'tenant', type: entity?.type ?? 'tenant' })],
      anomalies: [observe(peakCurrent)],
      ...(typeof baseline === 'number' ? { baselines: [observe(baseline)] } : {}),
    },
  ];
}

/** A map: producers name types freely, and "constructor" is a member of every object. */
const entityObservables = new Map<string | null | undefined, ObservableType>([
  ['user', 'userUid'],
  ['group', 'groupUid'],
  ['device', 'deviceUid'],
]);

function listObservables(entity: Detection['entity']) {
  const observables = new Observables();
  observables.add(entityObservables.get(entity?.type) ?? 'resourceUid', 'resources[0].uid', entity?.id);
  if (entity?.type === 'user') observables.add('userName', 'resources[0].name', entity.name);
  if (entity?.type === 'file') observables.add('fileName', 'resources[0].name', entity.name);
  return observables.list();
}
