import type { EventThreat, Outcome, Severity } from '@tenantscope/contract';
import type { RowReader } from '../activity/row-reader.ts';
import { findHighest } from '../severity/severity.ts';

/** The verdict in the columns of threats, which tables of mails and clicks share; null where nothing was found. */
export function readThreat(row: RowReader): EventThreat | null {
  const verdict = row.text('ThreatTypes');
  const name = row.text('ThreatNames', 'ThreatName');
  if (verdict === null && name === null) return null;
  return { verdict, name, level: readMembers(row, 'ConfidenceLevel'), source: readMembers(row, 'DetectionMethods') };
}

/** A column whose text is an object; null where that has no members. */
function readMembers(row: RowReader, column: string): string | null {
  const text = row.text(column);
  return text === '{}' ? null : text;
}

/**
 * The severity of `ThreatTypes`, for example `Phish, Malware`. Malware and phishing are high where they reached a user;
 * one level less where they were blocked. An unlisted type is medium.
 */
export function rateThreatTypes(types: string | null, outcome: Outcome | null): Severity | null {
  if (types === null) return null;
  const rated = types
    .split(/[,;]/)
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type !== '' && type !== 'none' && type !== 'nothreatsfound')
    .map((type) => threatSeverities.get(type) ?? 'medium');
  const highest = findHighest(rated);
  return highest === 'high' && outcome === 'failure' ? 'medium' : highest;
}

const threatSeverities = new Map<string, Severity>([
  ['malware', 'high'],
  ['phish', 'high'],
  ['phishing', 'high'],
  ['high confidence phish', 'high'],
  ['spam', 'low'],
  ['bulk', 'low'],
  ['graymail', 'low'],
]);
