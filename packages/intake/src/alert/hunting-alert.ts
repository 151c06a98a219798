import { defenderAdvancedHunting } from '../defender/advanced-hunting.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import { reject } from '../message/rejection.ts';
import { type Alert, type LastUpdate, unknownAlert } from './alert.ts';
import type { AlertFormat } from './alert-format.ts';
import { readHuntingEvidence } from './hunting-evidence.ts';
import { Members } from './members.ts';
import { toAlertSeverity } from './severity.ts';
import { toAlertId, toServiceSource } from './vocabulary.ts';

/**
 * Rows of the table AlertInfo of advanced hunting: an alert as it was raised, without its status, which the table lacks.
 * Its time is the creation of the alert, so that a state of the same alert from Graph, which is never older, replaces it.
 * A row of AlertEvidence is one piece of the evidence of an alert, before or after the row of AlertInfo: a part of the alert.
 */
export const huntingAlert: AlertFormat = {
  shape: defenderAdvancedHunting.shape,
  unwrap: defenderAdvancedHunting.unwrap,
  normalise: (record) =>
    readTable(record)?.(record) ??
    reject('SCHEMA_VIOLATION', 'the record is neither a row of AlertInfo nor one of AlertEvidence'),
  readOrganization: (record) => record.tenantId,
};

function readTable(record: JsonObject): ((record: JsonObject) => Alert) | undefined {
  const [, table] = tableName.exec(firstText(record.category, record.Type) ?? '') ?? [];
  return tables.get(table?.toLowerCase() ?? '');
}

function normaliseInfo(record: JsonObject): Alert {
  const columns = readColumns(record);
  return { ...readShared(record, columns), category: toText(columns.Category) };
}

function normaliseEvidence(record: JsonObject): Alert {
  const columns = readColumns(record);
  const [category] = new Members({ Categories: columns.Categories }).texts('categories');
  return {
    ...readShared(record, columns),
    category: category ?? null,
    threatFamilyName: toText(columns.ThreatFamily),
    elements: readHuntingEvidence(columns),
    isPart: true,
  };
}

function readColumns(record: JsonObject): JsonObject {
  return isObject(record.properties) ? record.properties : record;
}

/** What both tables report of the alert. */
function readShared(record: JsonObject, columns: JsonObject): Alert {
  const updated = readTime(columns, record.time);
  return {
    ...unknownAlert,
    id: toAlertId(toText(columns.AlertId)),
    title: toText(columns.Title),
    severity: toAlertSeverity(toText(columns.Severity)),
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

const tableName = /^(?:AdvancedHunting-)?(AlertInfo|AlertEvidence)$/i;
const tables = new Map([
  ['alertinfo', normaliseInfo],
  ['alertevidence', normaliseEvidence],
]);
