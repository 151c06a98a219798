import {
  isConditional,
  listRepresentations,
  mayWait,
  type OperationName,
  type OperationNamed,
  representations,
} from '@tenantscope/contract';
import { acceptsGzip, defaultCell } from '@tenantscope/runtime';
import type { KeyRecord } from '@tenantscope/store/api-key';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTenantSelector } from '../auth/authentication.ts';
import { identifyCaller } from '../auth/caller.ts';
import {
  applyRateLimit,
  authenticateAndCount,
  authenticateRequest,
  chargeRejectedRequest,
  jsonMediaType,
  requireAcceptableMediaType,
} from '../auth/request-checks.ts';
import type { Dependencies } from '../dependencies.ts';
import { convertBody } from '../documents/representations.ts';
import { invoke, type OperationResult, toPlainBody } from '../invoke.ts';
import { bodyMaxBytes, linkMaxLength } from '../limits.ts';
import type { Tail, TailWait } from '../records/tail-waits.ts';
import { rateLimitHeaders } from '../throttling/rate-limit-status.ts';
import { abortOnClientDisconnect } from './client-disconnect.ts';
import { computeEntityTag, findMatchingTag } from './entity-tag.ts';
import { jsonContentType, toApiError } from './error-response.ts';
import { requireHeaderLengths } from './header-lengths.ts';
import { toNdjson } from './ndjson.ts';
import { readPreferredWait } from './prefer-header.ts';
import { parseQueryParameters } from './query-string.ts';
import { readBody } from './request-body.ts';
import { createRequestedWait } from './requested-wait.ts';

/** Handles one request in the order of the contract: body size, key, rate limit, media type, tenant; `invoke` does the rest. */
export async function handleOperation<Name extends OperationName>(
  service: Dependencies,
  operation: OperationNamed<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  await ignoreBody(service, request, reply);
  const { key, rateLimit } = await authenticateAndCount(service, request, operation.name === 'list_tenants');
  applyRateLimit(service, rateLimit, reply);
  const offered = listRepresentations(operation).map((name) => representations[name].mediaType);
  const mediaType = requireAcceptableMediaType(request, offered);
  requireHeaderLengths(operation, request);
  const { id } = request.params as { id?: string };
  let signal: AbortSignal | undefined;
  const disconnectSignal = () => (signal ??= abortOnClientDisconnect(reply.raw));
  const result = await readAndWait(service, operation, { key, id, request, reply, disconnectSignal });
  const path = operation.path.replace('{id}', () => encodeURIComponent(id ?? ''));
  const link = result.nextCursor && `<${service.publicUrl}${path}?cursor=${result.nextCursor}>; rel="next"`;
  if (link && link.length <= linkMaxLength) reply.header('Link', link);
  if (offered.length > 0) reply.header('Vary', operation.kind === 'list' ? `${varied}, Prefer` : varied);
  const body = convert(operation.name, mediaType, result);
  if (isConditional(operation) && (await isUnmodified(service, key, toPlainBody(body), request, reply)))
    return reply.status(304).send();
  reply.type(mediaType === jsonMediaType ? jsonContentType : `${mediaType}; charset=utf-8`);
  // Stored compressed bytes are gzip: a client that accepts it gets them even if it prefers another coding.
  if (typeof body === 'string' || Buffer.isBuffer(body) || !acceptsGzip(request.headers['accept-encoding']))
    return reply.send(toPlainBody(body));
  return reply.header('Content-Encoding', 'gzip').send(await body.gzip());
}

const varied = 'Accept, Accept-Encoding';

interface OperationRequest {
  readonly key: KeyRecord;
  readonly id: string | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly disconnectSignal: () => AbortSignal;
  readonly goesOnWaiting?: boolean;
}

/**
 * Reads, and at the end of a feed waits for rows if the client prefers that. What is read after a wait belongs to a key that was looked up again: a key
 * that was revoked meanwhile gets nothing.
 */
async function readAndWait<Name extends OperationName>(
  service: Dependencies,
  operation: OperationNamed<Name>,
  context: OperationRequest,
): Promise<OperationResult> {
  const { request, reply, key, disconnectSignal } = context;
  let result = await readResult(service, operation, context);
  const seconds = mayWait(operation) ? readPreferredWait(request.headers.prefer) : null;
  if (seconds === null || !result.tail) return result;
  const endMs = performance.now() + seconds * 1_000;
  using slots = new DisposableStack();
  const begin = ({ keyId, selected }: KeyRecord, tail: Tail): TailWait | null => {
    const owner = { keyId, organizationId: selected?.organizationId ?? null };
    const begun = service.findTailWaits(selected?.cell ?? defaultCell).begin(owner, tail, endMs);
    return begun && slots.use(begun);
  };
  let slot = result.tail.isEmpty ? begin(key, result.tail) : null;
  if (result.tail.isEmpty && slot === null) return result;
  reply.header('Preference-Applied', `wait=${seconds}`);
  const requestedWait = createRequestedWait();
  request.requestedWait = requestedWait;
  let { selected } = key;
  for (let hasRows = true; hasRows && slot && result.tail?.isEmpty; ) {
    const { tail } = result;
    const { wait } = slot;
    hasRows = await requestedWait.measure(() => wait(tail, endMs - performance.now(), disconnectSignal()));
    const found = await authenticateRequest(service, request, false);
    result = await readResult(service, operation, { ...context, key: found, goesOnWaiting: hasRows });
    // The tenant was moved: its rows arrive in the other cell.
    if (hasRows && result.tail?.isEmpty && found.selected?.cell !== selected?.cell) slot = begin(found, result.tail);
    ({ selected } = found);
  }
  return result;
}

async function readResult<Name extends OperationName>(
  service: Dependencies,
  operation: OperationNamed<Name>,
  { key, id, request, reply, disconnectSignal, goesOnWaiting = false }: OperationRequest,
): Promise<OperationResult> {
  const caller = identifyCaller(operation, key, readTenantSelector(request.raw), disconnectSignal);
  if (caller.tenant) reply.header('X-Tenant-Id', caller.tenant.id);
  return invoke(
    service.handlers,
    operation,
    { ...caller, goesOnWaiting },
    () => parseQueryParameters(request.raw.url ?? ''),
    id,
  );
}

function convert(name: OperationName, mediaType: string, result: OperationResult): OperationResult['body'] {
  if (mediaType === jsonMediaType) return result.body;
  const body = toPlainBody(result.body);
  return mediaType === representations.ndjson.mediaType ? toNdjson(body) : convertBody(name, mediaType, body);
}

/**
 * Sets the entity tag. A request that names it is not charged: a client may ask for changes as often as it likes within its limit. `*` names no body that the
 * client has.
 */
async function isUnmodified(
  service: Dependencies,
  key: KeyRecord,
  body: Buffer | string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const tag = computeEntityTag(body);
  const matching = findMatchingTag(request.headers['if-none-match'], tag);
  reply.header('ETag', matching ?? tag);
  if (matching === null) return false;
  if (request.headers['if-none-match']?.trim() === '*') return true;
  reply.headers(rateLimitHeaders(await service.rateLimiter.takeBack(key.keyId)));
  return true;
}

/** Reads the body of a GET request, which some clients send, and ignores it. Throws PAYLOAD_TOO_LARGE; that costs a key a request, too. */
async function ignoreBody(service: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await readBody(request.raw, bodyMaxBytes);
  } catch (error) {
    if (toApiError(error).status === 413) await chargeRejectedRequest(service, request, reply);
    throw error;
  }
}
