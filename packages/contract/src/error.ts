/** Every error code. REST, MCP and the OpenAPI description read this table. */
export const errors = {
  INVALID_PARAMETER: {
    status: 400,
    meaning: 'A parameter is unknown, of the wrong type, out of range or contradicts another.',
  },
  INVALID_CURSOR: {
    status: 400,
    meaning: 'The cursor is malformed, altered, or was issued for another tenant or endpoint.',
  },
  TENANT_REQUIRED: { status: 400, meaning: 'An organization-wide key must select a tenant for this request.' },
  BAD_REQUEST: { status: 400, meaning: 'The request is not well-formed HTTP.' },
  UNAUTHENTICATED: { status: 401, meaning: 'The API key is missing, malformed, unknown, expired or revoked.' },
  TENANT_NOT_IN_ORGANIZATION: { status: 403, meaning: 'The selected tenant is not one this key may read.' },
  PLAN_REQUIRED: {
    status: 403,
    meaning: "The selected tenant's plan does not include API access, or the tenant is suspended.",
  },
  INSUFFICIENT_SCOPE: { status: 403, meaning: 'The key does not have the scope that this endpoint requires.' },
  ORIGIN_NOT_ALLOWED: { status: 403, meaning: 'Requests from pages of this origin are not allowed.' },
  NOT_FOUND: { status: 404, meaning: 'The route does not exist, or this tenant has no record with this id.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route does not support this method.' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'Responses are JSON, which the Accept header excludes.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive completely in time.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The request body is too large.' },
  URI_TOO_LONG: { status: 414, meaning: 'The request line or an id in it is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The request body is not JSON.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The Expect header has a value other than 100-continue.' },
  RATE_LIMITED: { status: 429, meaning: 'The rate limit or a concurrency limit is exceeded.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are too large.' },
  INTERNAL_ERROR: { status: 500, meaning: 'An unexpected error occurred.' },
  NOT_IMPLEMENTED: { status: 501, meaning: 'The service does not implement this HTTP feature.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'A store is unavailable, the service is overloaded, or the window is not yet settled.',
  },
  QUERY_TIMEOUT: { status: 504, meaning: 'The query timed out.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errors;

/** A rejected parameter, and the values it accepts. */
export interface ErrorDetail {
  readonly parameter: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
  readonly example?: string;
}

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly requestId: string;
    readonly details?: readonly ErrorDetail[];
  };
}

/**
 * An error that the caller may see. `message` states what to do and never contains internals, tenant data or addresses;
 * the internal error is the `cause`, which is logged.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly ErrorDetail[],
    headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return errors[this.code].status;
  }

  body(requestId: string): ErrorBody {
    const { code, message, details } = this;
    return { error: { code, message, requestId, ...(details?.length ? { details } : {}) } };
  }
}
