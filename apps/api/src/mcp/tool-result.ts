import type { ApiError } from '@tenantscope/contract';

const opening = Buffer.from('"content":[{"type":"text","text":');
const between = Buffer.from('}],"structuredContent":');

/**
 * The members of a tool result: the result of the operation as text and as structured content. Each byte is escaped as one character, which leaves
 * the bytes of multi-byte characters unchanged: decoding and encoding 50 rows costs five times as much (310 µs against 62).
 */
export function serializeToolResult(result: Buffer | string): readonly Buffer[] {
  const body = typeof result === 'string' ? Buffer.from(result) : result;
  const text = Buffer.from(JSON.stringify(body.toString('latin1')), 'latin1');
  return [opening, text, between, body];
}

/** The error of the equivalent REST request as a tool result: clients drop the session or the message for other kinds of errors. */
export function serializeToolError(error: ApiError, requestId: string): string {
  const text = JSON.stringify(error.body(requestId));
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`;
}
