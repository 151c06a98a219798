import { evidenceKeysPath } from './evidence.ts';
import {
  errorSchema,
  failure,
  failureStatuses,
  headers,
  headersOf,
  idParameter,
  listPagination,
  pagination,
  rowsMax,
  tenantHeader,
} from './openapi-components.ts';
import type { Operation } from './operation.ts';
import { describe, limitMax } from './parameter.ts';
import { exampleOf, type Json, parameterSchema } from './parameter-schema.ts';
import { schemaName, schemaOf } from './record-schema.ts';

/**
 * The OpenAPI 3.1 description of the operations. Pure: the same operations and address give the same document.
 * Response schemas are open, since fields may be added.
 */
export function openApi(operations: readonly Operation[], publicUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tenantscope',
      version: '1.0.0',
      summary: "A tenant's activity and detections, read by polling.",
      description:
        'Read-only and pull-based. Every list is ordered totally (sort key, then id) and paged by opaque cursors that never expire. ' +
        'Time windows are closed at both ends at millisecond precision. Fields and values may be added to answers; existing ones are neither removed nor renamed without notice.',
      contact: { name: 'Operator of this deployment', url: publicUrl },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl, description: 'Production: this deployment', 'x-internal': false }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [{ name: 'read', description: 'Everything is read.' }],
    paths: {
      ...Object.fromEntries(operations.map((operation) => [operation.path, { get: operationOf(operation) }])),
      '/openapi.json': { get: selfDescription },
      [evidenceKeysPath]: { get: evidenceKeys },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer API_KEY (preferred).' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'X-API-Key: API_KEY.' },
      },
      parameters: { TenantId: tenantHeader },
      headers,
      responses: Object.fromEntries(failuresOf(operations).map((status) => [`Failure${status}`, failure(status)])),
      schemas: {
        ...Object.fromEntries(operations.map(({ record }) => [schemaName(record), schemaOf(record)])),
        Pagination: pagination,
        ListPagination: listPagination,
        Error: errorSchema,
      },
    },
  };
}

function operationOf(operation: Operation): Json {
  const parameters = Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    description: describe(parameter),
    schema: parameterSchema(parameter),
    ...(parameter.kind === 'texts' ? { style: 'form', explode: false } : {}),
    ...(parameter.kind === 'cursor' ? {} : { example: exampleOf(parameter) }),
  }));
  const scope = operation.scope ? ` Needs the scope ${operation.scope}.` : ' Needs no particular scope.';
  return {
    operationId: operation.name,
    tags: ['read'],
    summary: operation.summary,
    description: operation.description + scope + examplesOf(operation),
    parameters: [
      { $ref: '#/components/parameters/TenantId' },
      ...(operation.kind === 'get' ? [idParameter] : []),
      ...parameters,
    ],
    responses: {
      200: {
        description: 'The answer.',
        headers: {
          ...headersOf(
            'X-Request-Id',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
            'X-Tenant-Id',
          ),
          ...(operation.kind === 'list' ? headersOf('Link') : {}),
        },
        content: { 'application/json': { schema: answerOf(operation) } },
      },
      ...Object.fromEntries(failuresOf([operation]).map((status) => [status, failureOf(status)])),
      default: failureOf(500),
    },
  };
}

/** An id may be unknown only where one is asked for. */
function failuresOf(operations: readonly Operation[]) {
  const byId = operations.some(({ kind }) => kind === 'get');
  return failureStatuses.filter((status) => byId || status !== 404);
}

function failureOf(status: number): Json {
  return { $ref: `#/components/responses/Failure${status}` };
}

function answerOf(operation: Operation): Json {
  const row = { $ref: `#/components/schemas/${schemaName(operation.record)}` };
  if (operation.kind === 'get' || (operation.kind === 'document' && operation.holds === 'one'))
    return { type: 'object', required: ['data'], properties: { data: row } };
  const paged = operation.kind === 'list';
  return {
    type: 'object',
    required: ['data', 'pagination'],
    properties: {
      data: { type: 'array', maxItems: paged ? limitMax : rowsMax, items: row },
      pagination: { $ref: `#/components/schemas/${paged ? 'ListPagination' : 'Pagination'}` },
    },
  };
}

/** With the example's id in it. */
const pathOf = (operation: Operation): string =>
  operation.kind === 'get' ? operation.path.replace('{id}', operation.exampleId) : operation.path;

function examplesOf(operation: Operation): string {
  const lines = operation.examples
    .filter(({ input }) => Object.keys(input).length > 0)
    .map(({ words, input }) => `\n- ${words}: \`${pathOf(operation)}?${query(input)}\``);
  return lines.length ? `\n\nExamples:\n${lines.join('')}` : '';
}

function query(input: Readonly<Partial<Record<string, string>>>): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const selfDescription: Json = {
  operationId: 'openapi',
  tags: ['read'],
  summary: 'This description',
  description: 'The OpenAPI description of this deployment. Needs no key.',
  security: [],
  responses: {
    200: {
      description: 'The description.',
      headers: headersOf('X-Request-Id'),
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    400: failureOf(400),
    500: failureOf(500),
    default: failureOf(500),
  },
};

const publicKey: Json = {
  type: 'object',
  required: ['kty', 'crv', 'alg', 'use', 'kid', 'x'],
  properties: {
    kty: { type: 'string', const: 'OKP' },
    crv: { type: 'string', const: 'Ed25519' },
    alg: { type: 'string', const: 'EdDSA' },
    use: { type: 'string', const: 'sig' },
    kid: { type: 'string', maxLength: 300, pattern: '^', description: 'Signatures name the key by it.' },
    x: { type: 'string', maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$', description: 'The key.' },
  },
};

const evidenceKeys: Json = {
  operationId: 'evidence_keys',
  tags: ['read'],
  summary: 'Keys that verify evidence packs',
  description:
    'The public keys (JWKS, Ed25519) that signatures of evidence packs verify with, those that signed earlier included. Needs no key. Empty where none is configured.',
  security: [],
  responses: {
    200: {
      description: 'The keys.',
      headers: headersOf('X-Request-Id'),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['keys'],
            properties: { keys: { type: 'array', maxItems: 100, items: publicKey } },
          },
        },
      },
    },
    400: failureOf(400),
    500: failureOf(500),
    default: failureOf(500),
  },
};
