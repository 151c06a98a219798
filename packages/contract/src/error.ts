/** Every way a request can fail. The one table: REST, MCP and the OpenAPI description read it. */
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
  PLAN_REQUIRED: { status: 403, meaning: "The selected tenant's plan does not include API access." },
  INSUFFICIENT_SCOPE: { status: 403, meaning: 'The key lacks the scope this endpoint needs.' },
  ORIGIN_NOT_ALLOWED: { status: 403, meaning: 'The endpoint does not answer pages of this origin.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such route, or no such id in this tenant.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route exists and does not take this method.' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'Every answer is JSON, which the Accept header rules out.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive completely in time.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The request body is too large.' },
  URI_TOO_LONG: { status: 414, meaning: 'The request line or an id in it is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The request body is not JSON.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The Expect header asks for something else than 100-continue.' },
  RATE_LIMITED: { status: 429, meaning: 'The request budget of this window is used up.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are too large.' },
  INTERNAL_ERROR: { status: 500, meaning: 'The service failed in a way it did not foresee.' },
  NOT_IMPLEMENTED: { status: 501, meaning: 'The service does not speak this part of HTTP.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'A store is out of reach, the service is shedding load, or the window is not yet settled.',
  },
  QUERY_TIMEOUT: { status: 504, meaning: 'The query took too long.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errors;

/** One parameter that was refused, and what would have been taken. */
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
 * A failure as the caller may see it. `message` tells what to do next and never holds internals, tenants' data or the address;
 * the internal reason travels as `cause` and ends in the log.
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
