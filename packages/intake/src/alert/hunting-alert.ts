import { defenderAdvancedHunting } from '../defender/advanced-hunting.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import { reject } from '../message/rejection.ts';
import { type Alert, type LastUpdate, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { Members } from './members.ts';
import { toAlertSeverity } from './severity.ts';
import { toAlertId, toServiceSource } from './vocabulary.ts';

/**
 * Rows of the table AlertInfo of advanced hunting: an alert as it was raised, without its status, which the table lacks.
 * Its time is the creation of the alert, so that a state of the same alert from Graph, which is never older, replaces it.
 * Rows of AlertEvidence are log rows only: a state holds the whole alert, and evidence may come before the alert.
 */
export const huntingAlert: AlertFormat = {
  split: defenderAdvancedHunting.split,
  normalise: (record) =>
    isAlertRow(record) ? normalise(record) : reject('SCHEMA_VIOLATION', 'the record is not a row of AlertInfo'),
  readOrganization: (record) => record.tenantId,
};

function isAlertRow(record: JsonObject): boolean {
  return /^(?:AdvancedHunting-)?AlertInfo$/i.test(firstText(record.category, record.Type) ?? '');
}

function normalise(record: JsonObject): Alert {
  const columns = isObject(record.properties) ? record.properties : record;
  const updated = readTime(columns, record.time);
  return {
    ...unknownAlert,
    id: toAlertId(toText(columns.AlertId)),
    title: toText(columns.Title),
    severity: toAlertSeverity(toText(columns.Severity)),
    category: toText(columns.Category),
    serviceSource: toServiceSource(columns.ServiceSource),
    detectionSource: toText(columns.DetectionSource),
    mitreTechniques: readTechniques(columns),
    createdMs: toEpochMs(updated.time),
    lastUpdate: updated,
  };
}

function readTime({ Timestamp, TimeGenerated }: JsonObject, exported: Json | undefined): LastUpdate {
  if (toEpochMs(Timestamp) !== null) return { time: Timestamp, member: 'Timestamp' };
  return { time: toEpochMs(TimeGenerated) === null ? exported : TimeGenerated, member: 'Timestamp' };
}

/** `["Scripting (T1064)"]` → `T1064`; a technique without a number stays as it is. */
function readTechniques(columns: JsonObject): string[] {
  return new Members({ AttackTechniques: columns.AttackTechniques })
    .texts('attacktechniques')
    .map((technique) => /\((T\d{4}(?:\.\d{3})?)\)$/.exec(technique)?.[1] ?? technique);
}
