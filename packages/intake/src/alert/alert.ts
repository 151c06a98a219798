import type {
  AlertApp,
  AlertDevice,
  AlertEmail,
  AlertFile,
  AlertGroup,
  AlertIp,
  AlertSeverity,
  AlertStatus,
  AlertUser,
} from '@tenantscope/contract';
import type { Json } from '../json/value.ts';

/**
 * An alert as one record reports it, in the service's own terms; texts as received. Null means that the record has no value.
 */
export interface Alert {
  /** The provider's id of the alert. */
  readonly id: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly severity: AlertSeverity | null;
  readonly status: AlertStatus | null;
  readonly classification: string | null;
  readonly determination: string | null;
  readonly category: string | null;
  readonly threatDisplayName: string | null;
  readonly threatFamilyName: string | null;
  readonly actorDisplayName: string | null;
  readonly serviceSource: string | null;
  readonly detectionSource: string | null;
  readonly assignedTo: string | null;
  readonly alertWebUrl: string | null;
  readonly incidentWebUrl: string | null;
  readonly recommendedActions: string | null;
  readonly incidentId: string | null;
  readonly mitreTechniques: readonly string[];
  /** Epoch ms. */
  readonly firstActivityMs: number | null;
  readonly lastActivityMs: number | null;
  readonly createdMs: number | null;
  readonly resolvedMs: number | null;
  readonly lastUpdate: LastUpdate;
  readonly elements: AlertElements;
  /**
   * The time, as received, that orders this state among those of the alert where that is not its last update; see
   * `management-alert.ts`.
   */
  readonly orderedAt?: Json | undefined;
  /** Whether the record is one piece of the alert's evidence, which is merged into the alert instead of replacing it. */
  readonly isPart?: true;
}

/** When the state took effect, not yet parsed, and the name of the member, for the detail of a rejection. */
export interface LastUpdate {
  readonly time: Json | undefined;
  readonly member: string;
}

/** What an alert is about, by kind; one element per id. */
export interface AlertElements {
  readonly users: readonly AlertUser[];
  readonly groups: readonly AlertGroup[];
  readonly emails: readonly AlertEmail[];
  readonly apps: readonly AlertApp[];
  readonly devices: readonly AlertDevice[];
  readonly files: readonly AlertFile[];
  readonly ips: readonly AlertIp[];
}

export const noElements: AlertElements = {
  users: [],
  groups: [],
  emails: [],
  apps: [],
  devices: [],
  files: [],
  ips: [],
};

/** What a record without a member has in its place. */
export const unknownAlert: Omit<Alert, 'lastUpdate'> = {
  id: null,
  title: null,
  description: null,
  severity: null,
  status: null,
  classification: null,
  determination: null,
  category: null,
  threatDisplayName: null,
  threatFamilyName: null,
  actorDisplayName: null,
  serviceSource: null,
  detectionSource: null,
  assignedTo: null,
  alertWebUrl: null,
  incidentWebUrl: null,
  recommendedActions: null,
  incidentId: null,
  mitreTechniques: [],
  firstActivityMs: null,
  lastActivityMs: null,
  createdMs: null,
  resolvedMs: null,
  elements: noElements,
};
