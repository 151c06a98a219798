import Fastify from 'fastify';
import pg from 'pg';

// A plain handler for comparison: rows become objects, objects become JSON. No key, rate limit, watermark or row-level security; a prepared
// statement on the same index.

const [port, connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 16 });
const server = Fastify();

server.get<{ Querystring: { tenant: string; at: string; id: string; limit: string } }>(
  '/page',
  async (request, reply) => {
    const { tenant, at, id, limit } = request.query;
    const { rows } = await pool.query({
      name: 'page',
      text: `select id, occurred_at as "occurredAt", discovered_at as "discoveredAt", "action", "description", "severity", "actorId", "actorName",
                  "actorType", "actorIp", "resourceId", "resourceName", "resourceType", "workload", "sourceType", "sourceName", "clientApp",
                  "deviceId", "deviceName", "isManagedDevice", "applicationId", "applicationClientId", "applicationDisplayName", "externalEventId",
                  "tenantId", "outcome", "recordType", "category", "errorCode", "outcomeReason", "sessionId", "correlationId", "userAgent",
                  "deviceOs", "location", "actorUserId", "signIn", "targets", "changes", "details", "threat", "ai", "truncated"
             from bench.log_columns log
            where tenant_id = $1 and discovered_at >= $2 and (log.discovered_at, log.id) > ($2, $3)
            order by log.discovered_at, log.id limit $4`,
      values: [tenant, at, id, Number(limit) + 1],
    });
    const hasMore = rows.length > Number(limit);
    const body = JSON.stringify({ data: hasMore ? rows.slice(0, -1) : rows, pagination: { hasMore } });
    return reply.type('application/json').send(body);
  },
);

await server.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('listening');
