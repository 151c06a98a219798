import { makeVisible } from '@tenantscope/intake';
import { type CodecName, decompressBeginning } from './decompression.ts';
import { listHeaders, readVarint, skipHeaders } from './record-headers.ts';
import type { FirstRecord } from './undecodable-batch.ts';

const beginningBytes = 1_048_576;
const textLength = 200;
/** The reason of the lane names the texts, and the database refuses a NUL. */
const readText = (bytes: Buffer): string => makeVisible(bytes.toString('utf8').slice(0, textLength));

/**
 * Key and CloudEvents headers of the first record of a batch that cannot be decoded, so that its producer can be found. Null where they
 * do not lie within the first mebibyte: headers follow the value.
 */
export async function readFirstRecord(codec: CodecName, content: Buffer): Promise<FirstRecord | null> {
  try {
    const buffer = await decompressBeginning(codec, content, beginningBytes);
    if (buffer === null) return null;
    const cursor = { buffer, offset: 0 };
    const length = readVarint(cursor);
    const end = cursor.offset + length;
    cursor.offset += 1;
    readVarint(cursor);
    readVarint(cursor);
    const keyLength = readVarint(cursor);
    const valueAt = cursor.offset + Math.max(0, keyLength);
    if (valueAt >= buffer.length) return null;
    const key = keyLength < 0 ? null : readText(buffer.subarray(cursor.offset, valueAt));
    cursor.offset = valueAt;
    const valueLength = Math.max(0, readVarint(cursor));
    cursor.offset += valueLength;
    return { key, headers: end > buffer.length ? {} : readCloudEventHeaders(buffer.subarray(cursor.offset, end)) };
  } catch {
    return null;
  }
}

/** Other headers may be secret, and these name source, tenant and type. Throws BatchError where a count or length is not true. */
function readCloudEventHeaders(headers: Buffer): Record<string, string> {
  // Before a list of headers is built: one byte can claim as many as memory cannot hold.
  skipHeaders({ buffer: headers, offset: 0 }, headers.length);
  const named = listHeaders(headers).flatMap(([name, value]) =>
    /^ce_[a-z0-9]{1,20}$/.test(name) && value !== null ? [[name, readText(value)]] : [],
  );
  return Object.fromEntries(named.slice(0, 12));
}
