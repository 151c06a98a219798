import { errors } from './error.ts';
import { cursorText, type Json, whole } from './parameter-schema.ts';

/** Most rows a list on one page holds; larger organizations do not exist. */
export const rowsMax = 100_000;

const time = { type: 'string', format: 'date-time', minLength: 24, maxLength: 24 };
const timeOrNull = { ...time, type: ['string', 'null'] };

const issuedCursor = { ...cursorText, maxLength: 65_536 };

export const pagination: Json = {
  type: 'object',
  description: 'Where this page stands. nextCursor is null exactly when hasMore is false.',
  required: ['nextCursor', 'hasMore', 'limit'],
  properties: {
    nextCursor: { ...issuedCursor, type: ['string', 'null'], description: 'Continues after this page.' },
    hasMore: { type: 'boolean', description: 'Whether another page follows.' },
    limit: { ...whole(1, rowsMax), description: 'Most rows on this page.' },
  },
};

/** Of a list that goes page by page. */
export const listPagination: Json = {
  allOf: [{ $ref: '#/components/schemas/Pagination' }],
  type: 'object',
  required: ['resumeCursor', 'completeThrough', 'window'],
  properties: {
    resumeCursor: {
      ...issuedCursor,
      type: ['string', 'null'],
      description:
        'Continues after the last row served, with the filters and without the upper bound, also when nothing new came. Null on descending sorts only: keep it for the next poll.',
    },
    completeThrough: {
      ...timeOrNull,
      description:
        'On the write clock a window that ends at or before this moment never gains a row; null on lists without windows.',
    },
    window: {
      type: 'object',
      description: 'The window as applied, closed at both ends, on the time the rows are sorted by; null is open.',
      required: ['from', 'to'],
      properties: {
        from: { ...timeOrNull, description: 'Its start.' },
        to: { ...timeOrNull, description: 'Its end.' },
      },
    },
    retainedFrom: { ...timeOrNull, description: 'Where history begins, on lists whose rows are dropped by age.' },
  },
};

export const idParameter: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the record, as a list or another record names it.',
  schema: { type: 'string', minLength: 1, maxLength: 300, pattern: '^[^\\u0000]+$' },
};

export const tenantHeader: Json = {
  name: 'X-Tenant-Id',
  in: 'header',
  required: false,
  description:
    'Which tenant an organization-wide key reads: our id or the upstream one. Required for its data requests, needless for a key of one tenant.',
  schema: { type: 'string', format: 'uuid', maxLength: 36 },
};

export const headers: Record<string, Json> = {
  'X-Request-Id': {
    description: 'Id of this request: name it when asking for help.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in the window.', schema: whole(0, 2_147_483_647) },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', schema: whole(0, 2_147_483_647) },
  'X-RateLimit-Reset': {
    description: 'When the window ends, epoch seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799 },
  },
  'X-Tenant-Id': {
    description: 'The tenant that was read.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  'Retry-After': { description: 'Whole seconds to wait.', schema: whole(1, 86_400) },
  Link: {
    description: 'The next page, rel="next", when there is one.',
    schema: { type: 'string', maxLength: 16_384, pattern: '^<.*>; rel="next"$' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', const: 'Bearer realm="tenantscope"' },
  },
};

export function headersOf(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What any keyed request can meet; the rest of the table concerns what is not well-formed HTTP. */
export const failureStatuses = [400, 401, 403, 404, 406, 429, 500, 503, 504] as const;

export function failure(status: (typeof failureStatuses)[number]): Json {
  const rows = Object.entries(errors).filter(([, row]) => row.status === status);
  return {
    description: rows.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join(' '),
    headers: {
      ...headersOf('X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'),
      ...(status === 429 || status === 503 ? headersOf('Retry-After') : {}),
      ...(status === 401 ? headersOf('WWW-Authenticate') : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

export const errorSchema: Json = {
  type: 'object',
  description: 'Every failure has this body.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(errors),
          description: 'What happened.',
        },
        message: { type: 'string', maxLength: 1000, pattern: '\\S', description: 'What to do next.' },
        requestId: {
          type: 'string',
          maxLength: 64,
          pattern: '^[A-Za-z0-9._-]+$',
          description: 'The X-Request-Id of this answer.',
        },
        details: {
          type: 'array',
          maxItems: 20,
          description: 'The parameters, headers or scopes that were refused.',
          items: {
            type: 'object',
            required: ['parameter', 'reason'],
            properties: {
              parameter: { type: 'string', maxLength: 64, pattern: '^' },
              reason: { type: 'string', maxLength: 300, pattern: '\\S' },
              allowed: { type: 'array', maxItems: 200, items: { type: 'string', maxLength: 200, pattern: '\\S' } },
              example: { type: 'string', maxLength: 200, pattern: '^' },
            },
          },
        },
      },
    },
  },
};
