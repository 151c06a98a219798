import type { ServerResponse } from 'node:http';
import { ApiError } from '@tenantscope/contract';
import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store';
import type { FastifyBaseLogger } from 'fastify';

/** Public words for anything that was thrown. The internal reason stays in `cause`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailable) return unavailable('A part of the service is out of reach.', error);
  if (error instanceof QueryTimedOut)
    return new ApiError(
      'QUERY_TIMEOUT',
      'The query took too long. Narrow the time window or ask for fewer rows.',
      undefined,
      {},
      { cause: error },
    );
  return (
    fromFramework(error) ??
    new ApiError(
      'INTERNAL_ERROR',
      'The service failed. Repeat the request; if it fails again, report the request id.',
      undefined,
      {},
      { cause: error },
    )
  );
}

/** Once, where a failure is answered: what was not the caller's doing. */
export function logFailure(log: FastifyBaseLogger, error: ApiError): void {
  if (error.status !== 500 && error.status !== 503) return;
  const level = error.status === 500 ? 'error' : 'warn';
  log[level]({ code: error.code, err: error.cause ?? error }, 'request failed');
}

/** 503 with the words that every cause shares. */
export function unavailable(words: string, cause?: unknown, retryAfterSeconds = 1): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `${words} Repeat the request after the time in Retry-After.`,
    undefined,
    { 'Retry-After': String(retryAfterSeconds) },
    { cause },
  );
}

export function idTooLong(): ApiError {
  return new ApiError('URI_TOO_LONG', 'The id in the path is longer than 300 characters.');
}

const frameworkFailures: Record<string, () => ApiError> = {
  FST_ERR_BAD_URL: () => new ApiError('BAD_REQUEST', 'The path is not validly percent-encoded. Encode ids as UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: idTooLong,
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ApiError('PAYLOAD_TOO_LARGE', 'The request body is too large. Send a smaller one.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.'),
};

function fromFramework(error: unknown): ApiError | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const known = code === undefined ? undefined : frameworkFailures[code];
  if (known) return known();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('BAD_REQUEST', 'The request is not well-formed.', undefined, {}, { cause: error });
  return undefined;
}

/** Writes a failure to a response that nothing else has answered. */
export function sendFailure(response: ServerResponse, error: ApiError, requestId: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const body = JSON.stringify(error.body(requestId));
  response.writeHead(error.status, { 'Content-Type': jsonType, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

export const jsonType = 'application/json; charset=utf-8';
