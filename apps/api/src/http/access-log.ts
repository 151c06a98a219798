import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readUserAgent, type UsedKey } from '../auth/key-usage.ts';

/** Recorded instead of a status if the connection ended before the response was sent completely; nginx records the same. */
export const disconnectedStatus = 499;

/** A line of the access log, next to the members of every line: `level`, `time`, `name`, `pid`, `hostname` and `msg`. */
export const accessLogEntry = z.strictObject({
  requestId: z.string().describe('Id of the request, as in X-Request-Id and in error responses.'),
  keyId: z.string().nullable().describe('Id of the key; null without a key that exists.'),
  isKeyEnded: z.boolean().describe('Whether the key was revoked or had expired.'),
  tenantId: z
    .guid()
    .nullable()
    .describe('Tenant whose data was requested; null if the request selected no tenant or was refused before.'),
  operation: z
    .string()
    .describe(
      'Operation, such as list_logs. `mcp` for the MCP endpoint; other paths without an operation share one value.',
    ),
  calledOperation: z.string().nullable().describe('Operation of a tool call, where `operation` is mcp; else null.'),
  method: z.string().describe('HTTP method.'),
  status: z
    .int()
    .describe(
      `HTTP status; ${disconnectedStatus} if the connection ended before the response was sent: the client disconnected, or did not read it.`,
    ),
  seconds: z
    .number()
    .describe('Time from the header of the request until the response was sent or the connection ended.'),
  address: z.string().describe('Address of the client; behind TENANTSCOPE_TRUSTED_PROXIES that of X-Forwarded-For.'),
  userAgent: z
    .string()
    .nullable()
    .describe('User-Agent, shortened, with other characters than printable ASCII replaced; null without one.'),
});
export type AccessLogEntry = z.infer<typeof accessLogEntry>;

/** URLs are not part of it: filters contain names of users. */
export function createAccessLogEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  key: UsedKey | null,
): AccessLogEntry {
  const tenantId = reply.getHeader('X-Tenant-Id');
  return {
    requestId: request.id,
    keyId: key?.keyId ?? null,
    isKeyEnded: key?.ended ?? false,
    tenantId: typeof tenantId === 'string' ? tenantId : null,
    operation: request.routeOptions.config.operation ?? 'none',
    calledOperation: request.calledOperation,
    method: request.method,
    status,
    seconds: reply.elapsedTime / 1_000,
    address: request.ip,
    userAgent: readUserAgent(request),
  };
}
