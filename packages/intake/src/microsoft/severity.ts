import type { Severity } from '@tenantscope/contract';
import { firstText, type Json, type JsonObject, toList, toObject } from '../json/value.ts';
import { findHighest, parseSeverity } from '../severity/severity.ts';

/**
 * Microsoft's own severity: that of an alert, of a risk, of the most severe rule of a data loss prevention match, or the
 * one that the verdict on a message, a link or a file stands for.
 */
export function readUpstreamSeverity(record: JsonObject): Severity | null {
  const rules = toList(record.PolicyDetails).flatMap((policy) => toList(toObject(policy).Rules));
  const levels: (Json | undefined)[] = [record.Severity, record.RiskLevel];
  for (const rule of rules) levels.push(toObject(rule).Severity);
  const verdict = firstText(record.Verdict, toObject(record.FileData).FileVerdict);
  return findHighest([
    ...levels.map(parseSeverity),
    verdict === null ? null : (verdicts.get(verdict.toLowerCase()) ?? null),
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
