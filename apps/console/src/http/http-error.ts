/** Why a request is not done, in the words its maker reads. The body is the api's envelope. */
export class HttpError extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = statuses[code];
    this.details = details;
  }
}

export interface ErrorDetail {
  readonly parameter: string;
  readonly reason: string;
}

const statuses = {
  INVALID_PARAMETER: 400,
  NOT_SIGNED_IN: 401,
  SESSION_ENDED: 401,
  SIGN_IN_FAILED: 401,
  FORBIDDEN: 403,
  FOREIGN_ORIGIN: 403,
  REAUTHENTICATE: 403,
  NOT_FOUND: 404,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  FOREIGN_HOST: 421,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statuses;

/** The error body of every response, as the api has it. */
export const errorBody = ({ code, message, details }: HttpError, requestId: string) => ({
  error: { code, message, requestId, details },
});
