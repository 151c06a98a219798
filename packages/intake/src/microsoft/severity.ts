import type { Severity } from '@tenantscope/contract';
import { type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';

/**
 * Microsoft's own severity: that of an alert, of a risk, of the most severe rule of a data loss prevention match, or the
 * one that the verdict on a message, a link or a file stands for.
 */
export function readUpstreamSeverity(record: JsonObject): Severity | null {
  const rules = toList(record.PolicyDetails).flatMap((policy) => toList(toObject(policy).Rules));
  const levels: (Json | undefined)[] = [record.Severity, record.RiskLevel];
  for (const rule of rules) levels.push(toObject(rule).Severity);
  const files = [record.FileData, ...toList(record.AttachmentData)].map((file) => toText(toObject(file).FileVerdict));
  return findHighest([
    ...levels.map(parseSeverity),
    verdicts.get(toText(record.Verdict)?.toLowerCase() ?? '') ?? null,
    ...files.map((verdict) => fileVerdicts.get(verdict?.toLowerCase() ?? '') ?? null),
  ]);
}

/** Verdicts of Defender for Office 365; spam and bulk mail are everyday events. */
const verdicts = new Map<string, Severity>([
  ['malware', 'high'],
  ['highconfphish', 'high'],
  ['phish', 'medium'],
  ['phishing', 'medium'],
  ['normalphish', 'medium'],
  ['malicious', 'high'],
  ['suspicious', 'medium'],
]);
/** A number; 0 is good, and negative ones are scans without a result. */
const fileVerdicts = new Map<string, Severity>([...verdicts, ['1', 'high'], ['bad', 'high']]);
