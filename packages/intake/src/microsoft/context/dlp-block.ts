import { type Json, type JsonObject, toInteger, toList, toObject, toText } from '../../json/value.ts';
import { dlpRecordTypes } from '../record-type.ts';

/** Whether data loss prevention blocked what its rule matched: an enforced rule with a blocking action. */
export function isBlockedByPolicy(record: JsonObject, recordType: number | null, action: string | null): boolean {
  if (recordType === null || !dlpRecordTypes.has(recordType)) return false;
  if (action?.toLowerCase() !== 'dlprulematch') return false;
  if (blocks(toObject(record.EndpointMetaData))) return true;
  return toList(record.PolicyDetails).some((policy) => toList(toObject(policy).Rules).some(isBlockingRule));
}

function isBlockingRule(rule: Json): boolean {
  const { Actions, RuleMode } = toObject(rule);
  const mode = toText(RuleMode)?.toLowerCase() ?? 'enable';
  return mode === 'enable' && toList(Actions).some((action) => blocking.test(toText(action) ?? ''));
}

/** Endpoints have a mode instead of actions: 4 is block. */
function blocks({ EnforcementMode }: JsonObject): boolean {
  return toInteger(EnforcementMode) === 4 || toText(EnforcementMode)?.toLowerCase() === 'block';
}

const blocking = /^block/i;
