import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { endIdleConnection, trackExchange } from '@tenantscope/runtime';
import { errorBody, HttpError } from './http-error.ts';

/** Timeouts of a connection, checked every `checkMs`. */
export interface ConnectionTimeouts {
  readonly headersMs: number;
  /** Until a request has arrived completely, its body included. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** While a response is sent: the client accepts none of its bytes for so long. It may take twice the time until this is noticed. */
  readonly sendMs: number;
  readonly checkMs: number;
}

/** As in the api: a client that sends its body byte by byte keeps a connection for 15 seconds at most, and one that reads nothing of its response for one to two minutes. */
export const connectionTimeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 72_000,
  sendMs: 60_000,
  checkMs: 2_000,
};

/** A listener of the console: requests that do not arrive in time, or cannot be parsed, get the error body and are disconnected. */
export function createHttpServer(
  routes: RequestListener,
  { timeouts, headers }: { timeouts: ConnectionTimeouts; headers: Readonly<Record<string, string>> },
): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    (request, response) => {
      trackExchange(request, response);
      routes(request, response);
    },
  );
  server.setTimeout(timeouts.sendMs, endIdleConnection);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else sendErrorToSocket(socket, toHttpError(error), headers);
  });
  return server;
}

function toHttpError({ code }: NodeJS.ErrnoException): HttpError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpError(
      'REQUEST_TIMEOUT',
      'The request did not arrive completely in time. Send it again without delay.',
    );
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpError('HEADERS_TOO_LARGE', 'The address or the headers are too long. Send fewer or shorter values.');
  return new HttpError('INVALID_PARAMETER', 'The request could not be read.');
}

function sendErrorToSocket(socket: Duplex, error: HttpError, securityHeaders: Readonly<Record<string, string>>): void {
  const body = JSON.stringify(errorBody(error, randomUUID()));
  const headers = {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}
