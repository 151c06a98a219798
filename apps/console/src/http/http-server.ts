import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ConnectionTimeouts, endIdleConnection, toServerTimeouts, trackExchange } from '@tenantscope/runtime';
import { errorBody, HttpError } from './http-error.ts';

/** A listener of the console: requests that do not arrive in time, or cannot be parsed, get the error body and are disconnected. */
export function createHttpServer(
  routes: RequestListener,
  { timeouts, headers }: { timeouts: ConnectionTimeouts; headers: Readonly<Record<string, string>> },
): Server {
  const server = createServer(toServerTimeouts(timeouts), (request, response) => {
    trackExchange(request, response);
    routes(request, response);
  });
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
