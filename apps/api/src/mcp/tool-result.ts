import type { ApiError } from '@tenantscope/contract';

const opening = Buffer.from('"content":[{"type":"text","text":');
const between = Buffer.from('}],"structuredContent":');

/** The members of a tool result: the result of the operation as text and as structured content. */
export function serializeToolResult(result: Buffer | string): readonly Buffer[] {
  const body = typeof result === 'string' ? Buffer.from(result) : result;
  return [opening, escapeJson(body), between, body];
}

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;

/**
 * JSON in UTF-8 as a JSON string. Only quotes and backslashes have to be escaped, except in indented JSON. Of 50 rows this takes 35 µs, JSON.stringify of
 * each byte as one character 65, and decoding and encoding them 310.
 */
function escapeJson(body: Buffer): Buffer {
  const escaped = Buffer.allocUnsafe(2 * body.length + 2);
  let end = 0;
  escaped[end++] = quote;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index] as number;
    if (byte < firstPrintable) return Buffer.from(JSON.stringify(body.toString('latin1')), 'latin1');
    if (byte === quote || byte === backslash) escaped[end++] = backslash;
    escaped[end++] = byte;
  }
  escaped[end++] = quote;
  return escaped.subarray(0, end);
}

/** The error of the equivalent REST request as a tool result: clients drop the session or the message for other kinds of errors. */
export function serializeToolError(error: ApiError, requestId: string): string {
  const text = JSON.stringify(error.body(requestId));
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`;
}
