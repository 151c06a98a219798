import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '@tenantscope/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

const gzipAsync = promisify(gzip);
/** Below this a packet is not saved. */
const minBytes = 1_024;

/**
 * Sends a JSON response, compressed where the browser accepts it. Only for responses to GET: those to changes contain secrets that are shown once
 * (keys, recovery codes), next to names that a user chose. The length of a compressed response reveals whether the two share text, so a secret is
 * never compressed.
 */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Promise<FastifyReply> {
  const json = JSON.stringify(body);
  reply.header('Content-Type', 'application/json; charset=utf-8').header('Vary', 'Accept-Encoding');
  if (json.length < minBytes || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(json);
  // Level 1: these responses shrink to a tenth, and each further level costs more time than it saves bytes.
  return reply.header('Content-Encoding', 'gzip').send(await gzipAsync(json, { level: 1 }));
}
