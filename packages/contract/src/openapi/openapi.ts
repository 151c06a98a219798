import type { z } from 'zod';
import { evidenceKeysPath } from '../compliance/evidence-pack.ts';
import {
  findExampleId,
  isConditional,
  listRepresentations,
  mayWait,
  type Operation,
  requiredScopes,
} from '../operation/operation.ts';
import { type Representation, representations } from '../operation/representation.ts';
import { describePurpose, limitMax } from '../parameter/parameter.ts';
import { exampleValue, type Json, parameterSchema } from '../parameter/parameter-schema.ts';
import { rowView } from '../parameter/view.ts';
import { rowViewSchemas } from '../record/row-views.ts';
import { productVersion } from '../version.ts';
import {
  entityTagCondition,
  errorResponse,
  errorSchema,
  errorStatuses,
  headerReferences,
  headers,
  idParameter,
  listPagination,
  pagination,
  prefer,
  tenantHeader,
  unpagedRowsMax,
} from './components.ts';
import { extendListedRecords, recordSchemas, schemaName } from './record-schema.ts';
import { shareParameters } from './shared-parameters.ts';

/**
 * The OpenAPI 3.1 description of the operations. Pure: the same operations and address give the same document.
 * Response schemas are open, since fields may be added.
 */
export function buildOpenApi(operations: readonly Operation[], publicUrl: string): Json {
  const views = operations.some(hasViews) ? Object.values(rowViewSchemas) : [];
  const records = Object.assign({}, ...[...operations.map(({ record }) => record), ...views].map(recordSchemas));
  const shared = shareParameters(operations.flatMap(describeParameters), new Set(Object.keys(records)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tenantscope',
      version: productVersion,
      summary: "Read-only access to a tenant's activity, detections and compliance, by polling.",
      description:
        'Read-only and pull-based. Every list has a total order (sort key, then id) and opaque cursors that never expire. ' +
        'Time windows include both bounds, at millisecond precision. Fields and values may be added to responses; existing ones are not removed or renamed without notice.',
      contact: { name: 'Operator of this deployment', url: publicUrl },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl, description: 'Production: this deployment', 'x-internal': false }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [{ name: 'read', description: 'Read-only operations.' }],
    paths: {
      ...Object.fromEntries(
        operations.map((operation) => [
          operation.path,
          { get: describeOperation(operation, describeParameters(operation).map(shared.refer)) },
        ]),
      ),
      '/openapi.json': { get: selfDescription },
      [evidenceKeysPath]: { get: evidenceKeys },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer API_KEY (preferred).' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'X-API-Key: API_KEY.' },
      },
      parameters: shared.components,
      headers,
      responses: {
        NotModified: {
          description:
            'The body would be the one that the request names. It is not sent, and the request is not charged.',
          headers: headerReferences(...everyHeader, 'ETag'),
        },
        ...Object.fromEntries(
          listErrorStatuses(operations).map((status) => [`Failure${status}`, errorResponse(status)]),
        ),
      },
      schemas: {
        ...extendListedRecords(records),
        ...Object.fromEntries(operations.filter(hasViews).map(describeRow)),
        Ndjson: ndjson,
        Pagination: pagination,
        ListPagination: listPagination,
        Error: errorSchema,
      },
    },
  };
}

function describeParameters(operation: Operation): Json[] {
  const parameters = Object.entries(operation.parameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    description: describePurpose(parameter),
    schema: parameterSchema(parameter),
    ...(parameter.kind === 'texts' || parameter.kind === 'choices' ? { style: 'form', explode: false } : {}),
    ...(parameter.kind === 'cursor' ? {} : { example: exampleValue(parameter) }),
  }));
  return [
    tenantHeader,
    ...(isConditional(operation) ? [entityTagCondition] : []),
    ...(mayWait(operation) ? [prefer] : []),
    ...(findExampleId(operation) === undefined ? [] : [idParameter]),
    ...parameters,
  ];
}

function describeOperation(operation: Operation, parameters: readonly Json[]): Json {
  return {
    operationId: operation.name,
    tags: ['read'],
    summary: operation.summary,
    description: `${operation.description} ${describeScopes(operation)}${formatExamples(operation)}`,
    parameters,
    responses: {
      200: {
        description: 'Success.',
        headers: {
          ...headerReferences(...everyHeader),
          ...(operation.kind === 'list' ? headerReferences('Link') : {}),
          ...(mayWait(operation) ? headerReferences('Preference-Applied') : {}),
          ...(isConditional(operation) ? headerReferences('ETag') : {}),
        },
        content: { 'application/json': { schema: responseSchema(operation) }, ...describeRepresentations(operation) },
      },
      ...(isConditional(operation) ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(listErrorStatuses([operation]).map((status) => [status, errorReference(status)])),
      default: errorReference(500),
    },
  };
}

const everyHeader = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Tenant-Id',
] as const;

/** The scopes that an operation requires, as a sentence. */
function describeScopes(operation: Operation): string {
  const names = requiredScopes(operation);
  if (names.length === 0) return 'Requires no scope.';
  return `Requires the scope${names.length > 1 ? 's' : ''} ${names.join(' and ')}.`;
}

/** A page has at most 1,000 rows, a status 108. */
const textMax = 67_108_864;
const representationTypes = {
  csv: { type: 'string', format: 'csv', maxLength: textMax },
  oscal: { type: 'object' },
} as const satisfies Readonly<Record<Exclude<Representation, 'ndjson'>, Json>>;
const ndjson: Json = {
  type: 'string',
  maxLength: textMax,
  pattern: '\\n$',
  description: representations.ndjson.description,
};

function describeRepresentations(operation: Operation): Json {
  return Object.fromEntries(
    listRepresentations(operation).map((name) => [
      representations[name].mediaType,
      {
        schema:
          name === 'ndjson'
            ? { $ref: '#/components/schemas/Ndjson' }
            : { ...representationTypes[name], description: representations[name].description },
      },
    ]),
  );
}

/** 404 applies to by-id operations only. */
function listErrorStatuses(operations: readonly Operation[]) {
  const byId = operations.some((operation) => findExampleId(operation) !== undefined);
  return errorStatuses.filter((status) => byId || status !== 404);
}

function errorReference(status: number): Json {
  return { $ref: `#/components/responses/Failure${status}` };
}

/** Whether rows can be events of another schema. */
const hasViews = ({ parameters }: Operation): boolean => parameters.view === rowView;

const rowName = (operation: Operation): string => `${schemaName(operation.record)}${hasViews(operation) ? 'Row' : ''}`;

/** The rows of a list with views. Each form requires members that the others lack: ogen tells them apart by these, and reads no anyOf of objects. */
function describeRow(operation: Operation): [name: string, schema: Json] {
  const forms = [operation.record, ...Object.values(rowViewSchemas)];
  const description = 'A row in the form that the parameter view names.';
  return [rowName(operation), { description, oneOf: forms.map(referTo) }];
}

const referTo = (record: z.ZodObject): Json => ({ $ref: `#/components/schemas/${schemaName(record)}` });

function responseSchema(operation: Operation): Json {
  const row = { $ref: `#/components/schemas/${rowName(operation)}` };
  if (operation.kind === 'get' || (operation.kind === 'document' && operation.returns === 'record'))
    return { type: 'object', required: ['data'], properties: { data: row } };
  const paged = operation.kind === 'list';
  return {
    type: 'object',
    required: ['data', 'pagination'],
    properties: {
      data: { type: 'array', maxItems: paged ? limitMax : unpagedRowsMax, items: row },
      pagination: { $ref: `#/components/schemas/${paged ? 'ListPagination' : 'Pagination'}` },
    },
  };
}

/** The path with the example id. */
const examplePath = (operation: Operation): string => operation.path.replace('{id}', findExampleId(operation) ?? '');

function formatExamples(operation: Operation): string {
  const lines = operation.examples
    .filter(({ input }) => Object.keys(input).length > 0)
    .map(({ description, input }) => `\n- ${description}: \`${examplePath(operation)}?${query(input)}\``);
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
  summary: 'OpenAPI description',
  description: 'The OpenAPI description of this deployment. Requires no key.',
  security: [],
  responses: {
    200: {
      description: 'The description.',
      headers: headerReferences('X-Request-Id'),
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    400: errorReference(400),
    500: errorReference(500),
    default: errorReference(500),
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
    kid: { type: 'string', maxLength: 300, pattern: '^', description: 'Key id that signatures refer to.' },
    x: { type: 'string', maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$', description: 'Public key, base64url.' },
  },
};

const evidenceKeys: Json = {
  operationId: 'evidence_keys',
  tags: ['read'],
  summary: 'Keys that verify evidence packs',
  description:
    'The public keys (JWKS, Ed25519) that verify signatures of evidence packs, including keys that signed earlier. Requires no API key. Empty if no signing key is configured.',
  security: [],
  responses: {
    200: {
      description: 'The keys.',
      headers: headerReferences('X-Request-Id'),
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
    400: errorReference(400),
    500: errorReference(500),
    default: errorReference(500),
  },
};
