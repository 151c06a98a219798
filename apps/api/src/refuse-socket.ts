import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@tenantscope/contract';
import { answerHeaders } from './answer-headers.ts';
import { jsonType } from './failure.ts';
import { headersMaxBytes } from './limits.ts';

/** What Node's parser says; `rawPacket` is the piece it failed in. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Answers what the HTTP parser refused: torn lines, bad chunking, header floods, requests that never end. */
export function refuseUnparsed(error: ParserError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, refusalOf(error), randomUUID());
}

/** Writes a whole response to a bare socket and closes it. */
export function refuseSocket(socket: Duplex, error: ApiError, requestId: string): void {
  const body = JSON.stringify(error.body(requestId));
  const headers = {
    ...answerHeaders(requestId),
    ...error.headers,
    'Content-Type': jsonType,
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}

/** A request line that is whole but for a method nobody has heard of. */
const strangeMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \/\S* HTTP\/1\.[01]\r?\n/;

function refusalOf(error: ParserError): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'HEADERS_TOO_LARGE',
        `The headers are longer than ${headersMaxBytes} bytes. Send fewer or shorter ones.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('REQUEST_TIMEOUT', 'The request did not arrive completely in time. Send it again at once.');
    case 'HPE_INVALID_METHOD':
      if (strangeMethod.test(packetText(error))) return methodNotAllowed();
  }
  return new ApiError(
    'BAD_REQUEST',
    'The request is not well-formed HTTP/1.1. Check the request line, headers and chunking.',
  );
}

function packetText({ rawPacket }: ParserError): string {
  return Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
}

export function methodNotAllowed(): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', 'The service is read-only. Use GET.', undefined, { Allow: 'GET, HEAD' });
}
