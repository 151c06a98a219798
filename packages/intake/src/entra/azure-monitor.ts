import type { Activity } from '../activity.ts';
import type { Format } from '../format.ts';
import { readJson } from '../json/read-json.ts';
import { type JsonObject, objectOf, textOf } from '../json/value.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { type Part, splitRecords, wholeRecord } from '../split.ts';
import { normaliseDirectoryAudit } from './directory-audit.ts';
import { normaliseSignIn } from './sign-in.ts';

/**
 * Entra's logs as Azure Monitor exports them: a common frame around the record, in `properties`. Sign-ins and audits
 * leave through one event hub, so the category tells which of the two a record is, whatever format its envelope named.
 */
export function azureMonitorFormat(otherwise: 'signIn' | 'audit'): Format {
  return {
    family: 'entra',
    split: (reading) => splitRecords(reading, { list: 'records', unless: 'category' }, unwrap),
    normalise: (record) => normalise(record, otherwise),
    organizationOf: (record) => record.tenantId,
  };
}

/** `properties` may come as JSON text; its meaning, not its spelling, is the record's identity. */
function unwrap(frame: JsonObject, repeatsNames: boolean): Part | Rejection {
  if (typeof frame.properties !== 'string') return wholeRecord(frame, repeatsNames);
  const reading = readJson(Buffer.from(frame.properties), 'member properties');
  if (isRejection(reading)) return reading;
  return wholeRecord({ ...frame, properties: reading.value }, repeatsNames || reading.repeatsNames);
}

function normalise(frame: JsonObject, otherwise: 'signIn' | 'audit'): Activity {
  const properties = objectOf(frame.properties);
  const category = textOf(frame.category);
  const kind = category === null ? otherwise : (kindOf(category, properties) ?? otherwise);
  const surroundings = {
    action: frame.operationName,
    address: frame.callerIpAddress,
    tenant: frame.tenantId,
    resultType: frame.resultType,
    sourceName: category,
    time: frame.time,
  };
  return kind === 'signIn'
    ? normaliseSignIn(properties, surroundings)
    : normaliseDirectoryAudit(properties, surroundings);
}

function kindOf(category: string, properties: JsonObject): 'signIn' | 'audit' | null {
  if (category.endsWith('SignInLogs')) return 'signIn';
  return category === 'AuditLogs' || properties.activityDisplayName !== undefined ? 'audit' : null;
}
