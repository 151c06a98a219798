import type { ServerResponse } from 'node:http';
import { ApiError } from '@tenantscope/contract';
import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store/connection';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { UsedKey } from '../auth/key-usage.ts';
import { idMaxLength } from '../limits.ts';

/** Maps any thrown value to a public error. The internal reason stays in `cause`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailable) return serviceUnavailable('A backend of the service is unavailable.', error);
  if (error instanceof QueryTimedOut)
    return new ApiError(
      'QUERY_TIMEOUT',
      'The query took too long. Narrow the time window or reduce limit.',
      undefined,
      {},
      { cause: error },
    );
  return (
    fromFramework(error) ??
    new ApiError(
      'INTERNAL_ERROR',
      'Internal error. Repeat the request; if it fails again, report the request id.',
      undefined,
      {},
      { cause: error },
    )
  );
}

/** Logs a server error, once, where the response is sent. */
export function logServerError(log: FastifyBaseLogger, error: ApiError): void {
  if (error.status !== 500 && error.status !== 503) return;
  const level = error.status === 500 ? 'error' : 'warn';
  log[level]({ code: error.code, err: error.cause ?? error }, 'request failed');
}

/** Logs a request to which its key is not entitled, whether or not requests are logged. Without a key any client could fill the log. */
export function logRefusedAccess(request: FastifyRequest, error: ApiError, key: UsedKey | null): void {
  if (error.status !== 403 || key === null) return;
  const operation = request.calledOperation ?? request.routeOptions.config.operation ?? 'none';
  request.log.info(
    { keyId: key.keyId, code: error.code, operation, address: request.ip },
    'request refused; not permitted to the key',
  );
}

/** A 503 error with the advice that all causes share. */
export function serviceUnavailable(message: string, cause?: unknown, retryAfterSeconds = 1): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `${message} Repeat the request after the time in Retry-After.`,
    undefined,
    { 'Retry-After': String(retryAfterSeconds) },
    { cause },
  );
}

export function idTooLong(): ApiError {
  return new ApiError(
    'URI_TOO_LONG',
    `The id in the path is longer than ${idMaxLength} characters. Use an id that a list returns.`,
  );
}

const frameworkErrors: Record<string, () => ApiError> = {
  FST_ERR_BAD_URL: () => new ApiError('BAD_REQUEST', 'The path is not validly percent-encoded. Encode ids as UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: idTooLong,
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ApiError('PAYLOAD_TOO_LARGE', 'The request body is too large. Send a smaller one.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json.'),
};

function fromFramework(error: unknown): ApiError | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const create = code === undefined ? undefined : frameworkErrors[code];
  if (create) return create();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('BAD_REQUEST', 'The request is not well-formed.', undefined, {}, { cause: error });
  return undefined;
}

/** Writes an error to a response that has not been sent. */
export function writeError(response: ServerResponse, error: ApiError, requestId: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const body = JSON.stringify(error.body(requestId));
  response.writeHead(error.status, { 'Content-Type': jsonContentType, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

export const jsonContentType = 'application/json; charset=utf-8';
