import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '@tenantscope/contract';
import { answerHeaders } from './answer-headers.ts';
import { sendFailure } from './failure.ts';
import { headersMaxBytes, type Patience, parserMaxBytes, uriMaxBytes } from './limits.ts';
import { refuseSocket } from './refuse-socket.ts';
import { requestIdOf } from './request-id.ts';

/** The HTTP server. What is no proper request is refused here, with the envelope; all else goes on to the routes. */
export function createDoor(routes: RequestListener, patience: Patience): Server {
  const enter = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    for (const [name, value] of Object.entries(answerHeaders(requestId))) response.setHeader(name, value);
    const refusal = refusalOf(request);
    if (refusal) return refuse(request, response, refusal);
    request.url = originForm(request.url ?? '/');
    routes(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: parserMaxBytes,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      keepAliveTimeout: patience.keepAliveMs,
      connectionsCheckingInterval: patience.checkMs,
      // Node would answer a missing Host by itself, without the envelope.
      requireHostHeader: false,
    },
    enter,
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(answerHeaders(requestIdOf(request)))) response.setHeader(name, value);
    refuse(request, response, new ApiError('EXPECTATION_FAILED', 'Send no Expect header, or 100-continue only.'));
  });
  server.on('connect', (request, socket) => {
    refuseSocket(
      socket,
      new ApiError('NOT_IMPLEMENTED', 'The service is no proxy: CONNECT is not served.'),
      requestIdOf(request),
    );
  });
  return server;
}

function refusalOf(request: IncomingMessage): ApiError | null {
  if (request.httpVersionMajor !== 1) return new ApiError('BAD_REQUEST', 'End the request line with HTTP/1.1.');
  const hosts = request.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1'))
    return new ApiError('BAD_REQUEST', 'Send exactly one Host header.');
  if ((request.url?.length ?? 0) > uriMaxBytes)
    return new ApiError(
      'URI_TOO_LONG',
      `The request line is longer than ${uriMaxBytes} bytes. Ask for fewer filter values at once.`,
    );
  if (request.rawHeaders.reduce((sum, text) => sum + text.length, 0) > headersMaxBytes)
    return new ApiError(
      'HEADERS_TOO_LARGE',
      `The headers are longer than ${headersMaxBytes} bytes. Send fewer or shorter ones.`,
    );
  return null;
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  response.shouldKeepAlive = false;
  sendFailure(response, error, requestIdOf(request));
}

/** A proxy may send the whole address as request target; the routes know paths. */
function originForm(url: string): string {
  const found = /^https?:\/\/[^/?#]*(.*)$/i.exec(url);
  if (!found) return url;
  return found[1]?.startsWith('/') ? found[1] : `/${found[1] ?? ''}`;
}
