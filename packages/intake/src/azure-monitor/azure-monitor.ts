import type { Activity } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { defenderAdvancedHunting } from '../defender/advanced-hunting.ts';
import { getTable } from '../defender/tables.ts';
import { normaliseDirectoryAudit } from '../entra/directory-audit.ts';
import { normaliseSignIn } from '../entra/sign-in.ts';
import { readJson } from '../json/read-json.ts';
import { type JsonObject, toObject, toText } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { isAuditTableRow, readEnrichedEvent, toManagementRecord } from '../microsoft/audit-tables.ts';
import { o365ManagementActivity } from '../microsoft/management-activity.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { findMapper, isListedCategory } from './category.ts';
import { isTableRow, nestTableRow } from './log-analytics.ts';
import { type LogFrame, readFrame } from './log-frame.ts';

/** Any log that Azure Monitor exports, as an event of a hub or as a row of a Log Analytics table. */
export const azureMonitor = createFormat(null);

/** The same, where a record without a category is a sign-in. */
export const entraSignInAzureMonitor = createFormat(normaliseSignIn);

/** The same, where a record without a category is an audit. */
export const entraAuditAzureMonitor = createFormat(normaliseDirectoryAudit);

/**
 * Azure Monitor wraps the record in a common frame, under `properties`. All formats are one family: a record is the same
 * row whichever of them its envelope named. A row of a table of another source is of that source's family.
 */
function createFormat(fallback: ((record: JsonObject, frame: LogFrame) => Activity) | null): ActivityFormat {
  return {
    family: 'entra',
    shape: sourceShapes['azure.monitor'],
    unwrap,
    normalise: (members) => {
      const tableFormat = findTableFormat(members);
      if (tableFormat !== null) return { ...tableFormat.normalise(members, 0), family: tableFormat.family };
      const properties = toObject(members.properties);
      const frame = readFrame(members);
      const activity = findMapper(properties, frame, fallback)(properties, frame);
      return frame.category === null || isListedCategory(frame.category) ? activity : { ...activity, isUnlisted: true };
    },
    readOrganization: (members) => members.tenantId ?? members.tenantid ?? members.OrganizationId,
  };
}

/** The format of a row of Log Analytics that another source of Microsoft's has filled; null for any other record. */
function findTableFormat(members: JsonObject): ActivityFormat | null {
  if (members.properties !== undefined) return null;
  if (members.CreationTime !== undefined && members.Operation !== undefined) return o365ManagementActivity;
  return isHuntingRow(members) ? defenderAdvancedHunting : null;
}

function isHuntingRow(row: JsonObject): boolean {
  return row.TimeGenerated !== undefined && getTable(toText(row.Type) ?? '').isListed;
}

/**
 * `properties` may come as JSON text; the parsed value, not the text, identifies the record. Text that is invalid JSON stays
 * as it is, since the frame alone is a row too.
 */
function unwrap(frame: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  if (isAuditTableRow(frame)) {
    return { ...toSplitRecord(frame, hasDuplicateNames, text), value: toManagementRecord(frame) };
  }
  if (isTableRow(frame) && !isHuntingRow(frame))
    return { ...toSplitRecord(frame, hasDuplicateNames, text), value: nestTableRow(frame) };
  const record = unwrapProperties(frame, hasDuplicateNames, text);
  const enriched = readEnrichedEvent(record.value);
  return enriched === null ? record : { ...record, value: toManagementRecord(enriched) };
}

function unwrapProperties(frame: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  if (typeof frame.properties !== 'string') return toSplitRecord(frame, hasDuplicateNames, text);
  const parsed = readJson(Buffer.from(frame.properties), 'member properties');
  if (isRejection(parsed)) return toSplitRecord(frame, hasDuplicateNames, text);
  const record = { ...frame, properties: parsed.value };
  return toSplitRecord(record, hasDuplicateNames || parsed.hasDuplicateNames, text);
}
