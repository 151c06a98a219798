/** The `error` member of a response that is not 2xx. */
export interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly details: readonly ApiErrorDetail[];
}

/** What is wrong with a parameter. */
export interface ApiErrorDetail {
  readonly parameter: string;
  readonly reason: string;
  /** The values or forms that are accepted; empty where the API names none. */
  readonly allowed: readonly string[];
}

/** A response that repeating the request does not change: a refused parameter, cursor, key or tenant. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The status of the response. */
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly details: readonly ApiErrorDetail[];

  constructor(status: number, body: ApiErrorBody | null) {
    super(body?.message ?? `The API responded with status ${status} and no error message.`);
    this.status = status;
    this.code = body?.code ?? null;
    this.requestId = body?.requestId ?? null;
    this.details = body?.details ?? [];
  }
}

/** Reads the error of a response body; null if it has none, for example the page of a proxy. */
export function readErrorBody(body: unknown): ApiErrorBody | null {
  const error = isObject(body) ? body.error : null;
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') return null;
  return {
    code: error.code,
    message: error.message,
    requestId: typeof error.requestId === 'string' ? error.requestId : null,
    details: Array.isArray(error.details) ? error.details.filter(isObject).map(readDetail) : [],
  };
}

const readDetail = ({ parameter, reason, allowed }: Readonly<Record<string, unknown>>): ApiErrorDetail => ({
  parameter: String(parameter),
  reason: String(reason),
  allowed: Array.isArray(allowed) ? allowed.map(String) : [],
});

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
