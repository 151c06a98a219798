import type { AlertApp, AlertEmail, AlertGroup, AlertSeverity, AlertStatus, AlertUser } from '@tenantscope/contract';
import type { Json } from '../json/value.ts';

/** What one record says of an alert, in our terms; texts as received. Null is «the record does not say». */
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
  /** Epoch ms. */
  readonly firstActivityMs: number | null;
  readonly lastActivityMs: number | null;
  readonly createdMs: number | null;
  readonly resolvedMs: number | null;
  readonly lastUpdate: LastUpdate;
  readonly elements: AlertElements;
  /**
   * What orders this state among those of the alert, where that is not its last update: a time as received. See the
   * alerts of the Management Activity API.
   */
  readonly standsAsOf?: Json | undefined;
}

/** When the state began to hold, still unread, and the member that says so, for a rejection's words. */
export interface LastUpdate {
  readonly time: Json | undefined;
  readonly member: string;
}

/** Whom and what an alert is about; one element for one id. */
export interface AlertElements {
  readonly users: readonly AlertUser[];
  readonly groups: readonly AlertGroup[];
  readonly emails: readonly AlertEmail[];
  readonly apps: readonly AlertApp[];
}
