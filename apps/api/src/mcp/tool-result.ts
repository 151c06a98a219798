import type { ApiError } from '@tenantscope/contract';

const opening = Buffer.from('"content":[{"type":"text","text":"');
const between = Buffer.from('"}],"structuredContent":');

const quote = 0x22;
const backslash = 0x5c;
/** White space is all that JSON has below this. */
const space = 0x20;
const shortEscapes: Readonly<Record<number, number>> = { 9: 0x74, 10: 0x6e, 13: 0x72 };

/**
 * The members of a tool's result: the answer of the operation as text, and once more as it stands. Made of bytes: decoding a page of 1,000 rows,
 * printing it as a text and encoding both again took four times as long.
 */
export function printToolResult(answer: Buffer | string): Buffer {
  const body = typeof answer === 'string' ? Buffer.from(answer) : answer;
  const out = Buffer.allocUnsafe(opening.length + 2 * body.length + between.length + body.length);
  let at = opening.copy(out);
  for (let read = 0; read < body.length; read += 1) {
    const byte = body[read] as number;
    if (byte === quote || byte === backslash) {
      out[at++] = backslash;
      out[at++] = byte;
    } else if (byte < space) {
      out[at++] = backslash;
      out[at++] = shortEscapes[byte] as number;
    } else out[at++] = byte;
  }
  at += between.copy(out, at);
  at += body.copy(out, at);
  return out.subarray(0, at);
}

/** The error that the same request would have met, as a result: clients lose a session, or the words, over anything else. */
export function printToolError(error: ApiError, requestId: string): string {
  const text = JSON.stringify(error.body(requestId));
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`;
}
