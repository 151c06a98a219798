import { ApiError, errors } from '@tenantscope/contract';
import { expect, test } from 'vitest';

test('every error code has its HTTP status', () => {
  expect(Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]))).toEqual({
    INVALID_PARAMETER: 400,
    INVALID_CURSOR: 400,
    TENANT_REQUIRED: 400,
    BAD_REQUEST: 400,
    UNAUTHENTICATED: 401,
    TENANT_NOT_IN_ORGANIZATION: 403,
    PLAN_REQUIRED: 403,
    INSUFFICIENT_SCOPE: 403,
    ORIGIN_NOT_ALLOWED: 403,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    NOT_ACCEPTABLE: 406,
    REQUEST_TIMEOUT: 408,
    PAYLOAD_TOO_LARGE: 413,
    URI_TOO_LONG: 414,
    UNSUPPORTED_MEDIA_TYPE: 415,
    EXPECTATION_FAILED: 417,
    RATE_LIMITED: 429,
    HEADERS_TOO_LARGE: 431,
    INTERNAL_ERROR: 500,
    NOT_IMPLEMENTED: 501,
    SERVICE_UNAVAILABLE: 503,
    QUERY_TIMEOUT: 504,
  });
});

test('the body shows code, message, request id and details, never the cause', () => {
  const details = [{ parameter: 'limit', reason: 'is not a number' }];
  const error = new ApiError('INVALID_PARAMETER', 'Send a number.', details, {}, { cause: new Error('select 1') });
  expect(error.body('r-1')).toEqual({
    error: { code: 'INVALID_PARAMETER', message: 'Send a number.', requestId: 'r-1', details },
  });
  expect(new ApiError('NOT_FOUND', 'Nothing here.').body('r-2')).toEqual({
    error: { code: 'NOT_FOUND', message: 'Nothing here.', requestId: 'r-2' },
  });
});
