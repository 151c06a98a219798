import type { Activity } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { readJson } from '../json/read-json.ts';
import { type JsonObject, toObject, toText } from '../json/value.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import { type SplitRecord, splitRecords, toSplitRecord } from '../message/split-records.ts';
import { normaliseDirectoryAudit } from './directory-audit.ts';
import { normaliseSignIn } from './sign-in.ts';

/** Sign-in logs as Azure Monitor exports them. */
export const entraSignInAzureMonitor = createFormat('signIn');

/** Audit logs as Azure Monitor exports them. */
export const entraAuditAzureMonitor = createFormat('audit');

/**
 * Azure Monitor wraps the record in a common frame, under `properties`. Sign-ins and audits leave through one event hub,
 * so the category decides which of the two a record is, whichever format its envelope named; `fallback` applies to a record
 * without a category that decides.
 */
function createFormat(fallback: LogKind): ActivityFormat {
  return {
    family: 'entra',
    split: (parsed) => splitRecords(parsed, { list: 'records', recordMember: 'category' }, unwrap),
    normalise: (record) => normalise(record, fallback),
    readOrganization: (record) => record.tenantId,
  };
}

type LogKind = 'signIn' | 'audit';

/** `properties` may come as JSON text; the parsed value, not the text, identifies the record. */
function unwrap(frame: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord | Rejection {
  if (typeof frame.properties !== 'string') return toSplitRecord(frame, hasDuplicateNames, text);
  const parsed = readJson(Buffer.from(frame.properties), 'member properties');
  if (isRejection(parsed)) return parsed;
  const record = { ...frame, properties: parsed.value };
  return toSplitRecord(record, hasDuplicateNames || parsed.hasDuplicateNames, text);
}

function normalise(frame: JsonObject, fallback: LogKind): Activity {
  const properties = toObject(frame.properties);
  const category = toText(frame.category);
  const kind = category === null ? fallback : (readKind(category, properties) ?? fallback);
  const logFrame = {
    action: frame.operationName,
    address: frame.callerIpAddress,
    tenant: frame.tenantId,
    resultType: frame.resultType,
    resultDescription: frame.resultDescription,
    correlationId: frame.correlationId,
    category,
    sourceName: category,
    time: frame.time,
    members: frame,
  };
  return kind === 'signIn' ? normaliseSignIn(properties, logFrame) : normaliseDirectoryAudit(properties, logFrame);
}

function readKind(category: string, properties: JsonObject): LogKind | null {
  if (category.endsWith('SignInLogs')) return 'signIn';
  return category === 'AuditLogs' || properties.activityDisplayName !== undefined ? 'audit' : null;
}
