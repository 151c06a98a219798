import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@tenantscope/contract';
import { afterExchanges, listOpenExchanges } from '@tenantscope/runtime';
import { headersMaxBytes, lingerMs } from '../limits.ts';
import { jsonContentType } from './error-response.ts';
import { failBody } from './request-body.ts';
import { defaultResponseHeaders } from './response-headers.ts';

/** An error of Node's HTTP parser; `rawPacket` is the chunk in which it failed, at `bytesParsed`. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** Connections that will be closed: the parser fails again with every further chunk. */
const failed = new WeakSet<Duplex>();

/**
 * Responds to requests that the HTTP parser rejected: truncated lines, invalid chunking, too many headers, requests that never end. Complete
 * requests before it on the same connection are answered first.
 */
export function handleParserError(error: ParserError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (failed.has(socket)) return;
  failed.add(socket);
  const apiError = toApiError(error);
  const open = listOpenExchanges(socket);
  const interrupted = open.find(({ request }) => !request.complete);
  // A request that reached its route before its body broke off has a response of its own.
  if (interrupted) failBody(interrupted.request, apiError);
  afterExchanges(open, () => {
    if (interrupted) endSocket(socket, '');
    else sendErrorToSocket(socket, apiError, randomUUID());
  });
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
  endSocket(socket, `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Ends our side first: closing while the client still sends would reset the connection before it has read the response. */
function endSocket(socket: Duplex, text: string): void {
  if (socket.writable) socket.end(text);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** A well-formed request line; its method is unknown where the parser rejected it. */
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \/\S* HTTP\/1\.[01]\r?\n/;

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
      if (requestLine.test(readRejectedLine(error))) return methodNotAllowed();
  }
  return new ApiError(
    'BAD_REQUEST',
    'The request is not well-formed HTTP/1.1. Check the request line, headers and chunking.',
  );
}

/** The packet from the line in which the parser failed; complete requests may precede it. */
function readRejectedLine({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (!Buffer.isBuffer(rawPacket)) return '';
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return rawPacket.toString('latin1', start);
}

export function methodNotAllowed(): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', 'The service is read-only. Use GET.', undefined, { Allow: 'GET, HEAD' });
}
