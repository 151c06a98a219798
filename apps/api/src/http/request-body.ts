import type { IncomingMessage } from 'node:http';
import { ApiError } from '@tenantscope/contract';

/** What ends the reading of a body before its end. */
const readers = new WeakMap<IncomingMessage, (error: ApiError) => void>();
const failures = new WeakMap<IncomingMessage, ApiError>();

/**
 * Reads the body of a request; empty without one. Throws PAYLOAD_TOO_LARGE as soon as it is known to exceed the limit, and the error of
 * `failBody` if the HTTP parser rejects the rest. How long a body may take is bounded by the request timeout of the server.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  const failure = failures.get(request);
  if (failure) throw failure;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(bodyTooLarge(maxBytes));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // No client receives this error: it only ends the handling of the request.
    const abort = () => reject(new ApiError('BAD_REQUEST', 'The client disconnected before the end of the body.'));
    request.on('error', abort);
    request.on('close', abort);
    readers.set(request, reject);
  });
}

/** Fails the reading of a body: the HTTP parser rejected the rest of it, or it did not arrive in time. */
export function failBody(request: IncomingMessage, error: ApiError): void {
  failures.set(request, error);
  readers.get(request)?.(error);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function bodyTooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes} bytes. Send a smaller one.`);
}
