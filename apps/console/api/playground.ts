import type { Scope } from '@tenantscope/contract/feeds';
import * as z from 'zod/mini';
import { defineRoute, noParameters, nullableString, readonlyArray } from './route.ts';

const playgroundRoles = ['admin', 'officer'] as const;
const text = z.string();
const scope = z.custom<Scope>((name) => typeof name === 'string');

const window = z.object({ axis: text, from: text, to: text, clock: z.enum(['write', 'upstream']) });
/** A stretch of time that can be requested; on the `write` clock a closed one never changes. */
export type OperationWindow = z.output<typeof window>;

const parameter = z.object({
  name: text,
  kind: text,
  description: text,
  allowed: z.nullable(readonlyArray(text)),
  example: text,
});
export type OperationParameter = z.output<typeof parameter>;

const idLink = z.union([
  z.object({ operation: text }),
  z.object({ discriminator: text, operations: z.record(z.string(), text) }),
]);
/** The get operation for the id in a member: always the same, or the one that a neighbouring member names. */
export type IdLink = z.output<typeof idLink>;

const operationForm = z.object({
  name: text,
  kind: z.enum(['list', 'get', 'document']),
  path: text,
  scope: z.nullable(scope),
  /** With those of the record that the rows are about. */
  requiredScopes: readonlyArray(scope),
  summary: text,
  description: text,
  /** The description for agents. */
  toolDescription: text,
  exampleId: nullableString,
  /** The first is the default. */
  sorts: readonlyArray(text),
  windows: readonlyArray(window),
  parameters: readonlyArray(parameter),
  examples: readonlyArray(z.object({ description: text, input: z.record(z.string(), z.optional(text)) })),
  idLinks: z.record(z.string(), idLink),
});
export type OperationForm = z.output<typeof operationForm>;

const listedOperation = z.extend(operationForm, { isAllowed: z.boolean() });
export type ListedOperation = z.output<typeof listedOperation>;

export const listOperations = defineRoute({
  method: 'GET',
  path: '/operations',
  roles: playgroundRoles,
  input: noParameters,
  output: z.object({ scopes: readonlyArray(scope), operations: readonlyArray(listedOperation) }),
});
export type OperationList = z.output<(typeof listOperations)['output']>;

const mode = z.enum(['rest', 'mcp']);

/**
 * Runs one request against the API. The response body is passed on byte for byte; its status, duration, size and headers are in the header X-Run.
 */
export const runInPlayground = defineRoute({
  method: 'POST',
  path: '/playground/run',
  roles: playgroundRoles,
  input: z.strictObject({
    operation: text,
    tenantId: z.guid(),
    mode,
    id: z.optional(z.string().check(z.maxLength(1_000))),
    parameters: z.record(z.string().check(z.maxLength(64)), z.string().check(z.maxLength(8_192))),
    /** `me`, or the id of a key whose scopes are taken. */
    scopesOf: z.union([z.literal('me'), z.guid()]),
    /** A scope that the key lacks, for this run alone. */
    added: z.optional(z.string().check(z.maxLength(64))),
  }),
  output: 'stream',
});
export type PlaygroundRunInput = z.output<(typeof runInPlayground)['input']>;

/** What the header X-Run holds, as JSON in base64url. */
export const runSummary = z.object({
  status: z.number(),
  ms: z.number(),
  size: z.number(),
  headers: z.record(z.string(), z.string()),
});
export type RunSummary = z.output<typeof runSummary>;

const run = z.object({
  id: text,
  tenantId: text,
  at: text,
  mode,
  operation: text,
  parameters: z.record(z.string(), text),
  status: z.number(),
  durationMs: z.number(),
});
/** What was requested and the status of the response, never its content. */
export type PlaygroundRun = z.output<typeof run>;

export const listPlaygroundRuns = defineRoute({
  method: 'GET',
  path: '/playground/history',
  roles: playgroundRoles,
  input: noParameters,
  output: z.object({ runs: readonlyArray(run) }),
});
