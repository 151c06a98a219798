import { hash } from 'node:crypto';
import { canonicalizeJson } from '../json/canonical.ts';
import { canonicalizeText } from '../json/canonical-text.ts';
import type { SplitRecord } from '../message/split-records.ts';

/**
 * The id of a log row: a UUID of version 8 (RFC 9562) from 48 bits of occurredAt in milliseconds and 74 bits of
 * SHA-256 over tenant, source family and canonical record. The same record gives the same id in every delivery, replay and
 * process; the time in front keeps ids of one period together in an index.
 *
 * Changing what is hashed, or how occurredAt is read, gives every replayed record a second row.
 */
export function computeLogId(tenantId: string, family: string, record: SplitRecord, occurredAtMs: number): string {
  const time = occurredAtMs.toString(16).padStart(12, '0');
  const prefix = `${tenantId}\n${family}\n`;
  const identity =
    (record.isVerbatim ? canonicalizeText(prefix, record.source.text) : null) ??
    prefix + canonicalizeJson(record.content, record.hasDuplicateNames);
  const digest = hash('sha256', identity, 'hex');
  const variant = variants[Number.parseInt(digest[3] as string, 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-8${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}

/** A digest in place of a text that many ids share, such as the envelope of many events. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

const variants = ['8', '9', 'a', 'b'] as const;
