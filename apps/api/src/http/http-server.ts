import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '@tenantscope/contract';
import {
  afterExchanges,
  type ConnectionTimeouts,
  endIdleConnection,
  listOpenExchanges,
  toServerTimeouts,
  trackExchange,
} from '@tenantscope/runtime';
import { bodyMaxBytes, headersMaxBytes, parserMaxBytes, uriMaxBytes } from '../limits.ts';
import { writeError } from './error-response.ts';
import { getRequestId } from './request-id.ts';
import { defaultResponseHeaders } from './response-headers.ts';
import { sendErrorToSocket } from './socket-errors.ts';

export interface HttpServerOptions {
  readonly timeouts: ConnectionTimeouts;
  readonly maxConnections: number;
  /** Called for each connection that is closed because there are too many. */
  readonly onDrop: () => void;
}

/** The HTTP server. It rejects requests that violate the protocol, with the error envelope, and passes all others to the routes. */
export function createHttpServer(
  routes: RequestListener,
  { timeouts, maxConnections, onDrop }: HttpServerOptions,
): Server {
  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    trackExchange(request, response);
    const requestId = getRequestId(request);
    for (const [name, value] of Object.entries(defaultResponseHeaders(requestId))) response.setHeader(name, value);
    const error = findProtocolError(request);
    if (error) return sendProtocolError(request, response, error);
    request.url = toOriginForm(request.url ?? '/');
    routes(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: parserMaxBytes,
      ...toServerTimeouts(timeouts),
      // Node would respond to a missing Host header itself, without the error envelope.
      requireHostHeader: false,
    },
    handleRequest,
  );
  server.setTimeout(timeouts.sendMs, endIdleConnection);
  server.maxConnections = maxConnections;
  server.on('drop', onDrop);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A client that asks first is not told to send what will be rejected.
    if (Number(request.headers['content-length'] ?? 0) <= bodyMaxBytes) response.writeContinue();
    handleRequest(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    trackExchange(request, response);
    for (const [name, value] of Object.entries(defaultResponseHeaders(getRequestId(request))))
      response.setHeader(name, value);
    sendProtocolError(
      request,
      response,
      new ApiError('EXPECTATION_FAILED', 'The Expect header is not supported. Omit it, or send 100-continue.'),
    );
  });
  server.on('connect', (request, socket) => {
    const error = new ApiError('NOT_IMPLEMENTED', 'CONNECT is not supported.');
    afterExchanges(listOpenExchanges(socket), () => sendErrorToSocket(socket, error, getRequestId(request)));
  });
  return server;
}

function findProtocolError(request: IncomingMessage): ApiError | null {
  if (request.httpVersionMajor !== 1)
    return new ApiError('BAD_REQUEST', 'The HTTP version is not supported. Use HTTP/1.1.');
  const hosts = request.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1'))
    return new ApiError('BAD_REQUEST', 'The Host header is missing or repeated. Send exactly one.');
  if ((request.url?.length ?? 0) > uriMaxBytes)
    return new ApiError(
      'URI_TOO_LONG',
      `The request line is longer than ${uriMaxBytes} bytes. Send fewer filter values.`,
    );
  if (request.rawHeaders.reduce((sum, text) => sum + text.length, 0) > headersMaxBytes)
    return new ApiError(
      'HEADERS_TOO_LARGE',
      `The headers are longer than ${headersMaxBytes} bytes. Send fewer or shorter ones.`,
    );
  return null;
}

function sendProtocolError(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  response.shouldKeepAlive = false;
  writeError(response, error, getRequestId(request));
}

/** A proxy may send an absolute URL as request target; the routes match paths. */
function toOriginForm(url: string): string {
  const found = /^https?:\/\/[^/?#]*(.*)$/i.exec(url);
  if (!found) return url;
  return found[1]?.startsWith('/') ? found[1] : `/${found[1] ?? ''}`;
}
