import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@tenantscope/contract';
import { headersMaxBytes } from '../limits.ts';
import { jsonContentType } from './error-response.ts';
import { defaultResponseHeaders } from './response-headers.ts';

/** An error of Node's HTTP parser; `rawPacket` is the chunk in which it failed. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Responds to requests that the HTTP parser rejected: truncated lines, invalid chunking, too many headers, requests that never end. */
export function handleParserError(error: ParserError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  sendErrorToSocket(socket, toApiError(error), randomUUID());
}

/** Writes a complete error response to a raw socket and closes it. */
export function sendErrorToSocket(socket: Duplex, error: ApiError, requestId: string): void {
  const body = JSON.stringify(error.body(requestId));
  const headers = {
    ...defaultResponseHeaders(requestId),
    ...error.headers,
    'Content-Type': jsonContentType,
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}

/** A well-formed request line with an unknown method. */
const unknownMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \/\S* HTTP\/1\.[01]\r?\n/;

function toApiError(error: ParserError): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'HEADERS_TOO_LARGE',
        `The headers are longer than ${headersMaxBytes} bytes. Send fewer or shorter ones.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(
        'REQUEST_TIMEOUT',
        'The request did not arrive completely in time. Send it again without delay.',
      );
    case 'HPE_INVALID_METHOD':
      if (unknownMethod.test(packetText(error))) return methodNotAllowed();
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
