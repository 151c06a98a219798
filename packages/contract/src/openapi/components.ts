import { errors } from '../error.ts';
import { entityTagConditionMax, preferMax } from '../operation/operation.ts';
import { cursorSchema, type Json, whole } from '../parameter/parameter-schema.ts';

/** Most rows of a list without pages. No organization is larger. */
export const unpagedRowsMax = 100_000;

const time = { type: 'string', format: 'date-time', minLength: 24, maxLength: 24 };
const timeOrNull = { ...time, type: ['string', 'null'] };

const issuedCursor = { ...cursorSchema, maxLength: 65_536 };

export const pagination: Json = {
  type: 'object',
  description: 'Position of this page. nextCursor is null exactly when hasMore is false.',
  required: ['nextCursor', 'hasMore', 'limit'],
  properties: {
    nextCursor: { ...issuedCursor, type: ['string', 'null'], description: 'Continues after this page.' },
    hasMore: {
      type: 'boolean',
      description: 'Whether another page follows. A page of large rows ends before limit, at 8 MiB.',
    },
    limit: { ...whole(1, unpagedRowsMax), description: 'Maximum number of rows on this page.' },
  },
};

/** What a list with pages adds to the position of a page. */
const listPosition: Json = {
  type: 'object',
  required: ['resumeCursor', 'completeThrough', 'unreadSince', 'window', 'note'],
  properties: {
    resumeCursor: {
      ...issuedCursor,
      type: ['string', 'null'],
      description:
        'Continues after the last row of this page, with the same filters and no upper bound on the sort time, also if there is no new row. Store it for the next poll. Null on descending sorts, and on lists without windows.',
    },
    completeThrough: {
      ...timeOrNull,
      description:
        'A window on the write clock that ends at or before this instant never gains a row. Null on lists without windows.',
    },
    unreadSince: {
      ...timeOrNull,
      description:
        'Time of the oldest record in Kafka that was measured as unread on the lanes of this feed, of any tenant; null when there is no such record. The feed is complete through completeThrough, but behind: rows of unread records will be stamped later. While the logs in Kafka cannot be measured, the time of the last measurement at the latest. Null on lists without windows.',
    },
    window: {
      type: 'object',
      description: 'The applied window on the sort time, both bounds included; null means unbounded.',
      required: ['from', 'to'],
      properties: {
        from: { ...timeOrNull, description: 'Its start.' },
        to: { ...timeOrNull, description: 'Its end.' },
      },
    },
    evaluatedAt: {
      ...timeOrNull,
      description: 'Instant for which the facts were counted, on findings. Every page of a list has the same.',
    },
    note: {
      type: ['string', 'null'],
      maxLength: 1000,
      description: 'Why the list is empty, or which parameters a cursor replaces.',
    },
    episode: {
      type: 'object',
      description:
        'On events behind a detection: the window on occurredAt, both bounds included. Every page of a list has the same.',
      required: ['from', 'to'],
      properties: {
        from: { ...timeOrNull, description: 'When the episode began.' },
        to: { ...timeOrNull, description: 'When it was last seen at the first page; null if it has no end yet.' },
      },
    },
    retainedFrom: {
      ...timeOrNull,
      description: 'Start of the stored history, on lists whose rows are deleted by age.',
    },
  },
};

/** Pagination of a list. */
export const listPagination: Json = { allOf: [{ $ref: '#/components/schemas/Pagination' }, listPosition] };

export const idParameter: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the record, from a list or another record.',
  schema: { type: 'string', minLength: 1, maxLength: 300, pattern: '^[^\\u0000]+$' },
};

export const tenantHeader: Json = {
  name: 'X-Tenant-Id',
  in: 'header',
  required: false,
  description:
    'The tenant to read: its id in this service or in the upstream identity platform. Required for data requests of organization-wide keys; not needed for keys of one tenant.',
  schema: { type: 'string', format: 'uuid', maxLength: 36 },
};

/** What a header can contain: values that are not understood, but not longer ones than these, are ignored. */
const headerValue = '^[^\\u0000\\r\\n]*$';

export const entityTagCondition: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of an earlier response. If the response would be the same, it is 304 without a body, and the request does not count against the rate limit.',
  schema: { type: 'string', maxLength: entityTagConditionMax, pattern: headerValue },
};

export const prefer: Json = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'wait=N: with an ascending sort on the write clock and no upper bound, an empty page is returned after N seconds, at most 30, or as soon as there are new rows. One request of a key at a time for each feed of a tenant; another one gets 429. Other preferences are ignored.',
  schema: { type: 'string', maxLength: preferMax, pattern: headerValue },
};

export const headers: Record<string, Json> = {
  'X-Request-Id': {
    description: 'Id of this request. Include it in support requests.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in the window.', schema: whole(0, 2_147_483_647) },
  'X-RateLimit-Remaining': { description: 'Requests remaining in the window.', schema: whole(0, 2_147_483_647) },
  'X-RateLimit-Reset': {
    description: 'End of the window, in epoch seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 253_402_300_799 },
  },
  'X-Tenant-Id': {
    description: 'The tenant of the response.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  'Retry-After': { description: 'Whole seconds to wait.', schema: whole(1, 86_400) },
  Link: {
    description: 'The next page, rel="next", if there is one.',
    schema: { type: 'string', maxLength: 16_384, pattern: '^<.*>; rel="next"$' },
  },
  ETag: {
    description: 'Strong entity tag of this body in its content coding, for conditional requests.',
    schema: { type: 'string', maxLength: 64, pattern: '^".*"$' },
  },
  'Preference-Applied': {
    description: 'wait=N: how long the request waited for rows at most.',
    schema: { type: 'string', maxLength: 16, pattern: '^wait=[0-9]+$' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', const: 'Bearer realm="tenantscope"' },
  },
};

export function headerReferences(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Status codes of errors on any authenticated request; the others concern malformed HTTP. */
export const errorStatuses = [400, 401, 403, 404, 406, 429, 500, 503, 504] as const;

export function errorResponse(status: (typeof errorStatuses)[number]): Json {
  const rows = Object.entries(errors).filter(([, row]) => row.status === status);
  return {
    description: rows.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join(' '),
    headers: {
      ...headerReferences('X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'),
      ...(status === 429 || status === 503 ? headerReferences('Retry-After') : {}),
      ...(status === 401 ? headerReferences('WWW-Authenticate') : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

export const errorSchema: Json = {
  type: 'object',
  description: 'The body of every error response.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(errors),
          description: 'Error code.',
        },
        message: { type: 'string', maxLength: 1000, pattern: '\\S', description: 'What is wrong and what to do.' },
        requestId: {
          type: 'string',
          maxLength: 64,
          pattern: '^[A-Za-z0-9._-]+$',
          description: 'The X-Request-Id of this response.',
        },
        details: {
          type: 'array',
          maxItems: 20,
          description: 'The rejected parameters, headers or scopes.',
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
