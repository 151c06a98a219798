import type { SpanRecorder } from '@tenantscope/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A span for each request, from its header to its response; what the request awaits is its child. Paths and parameters are no part of it. */
export function traceRequests(fastify: FastifyInstance, recorder: SpanRecorder): void {
  const spans = new WeakMap<FastifyRequest, ReturnType<SpanRecorder['beginRequest']>>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'none', config } = request.routeOptions;
    const operation = config.operation ?? 'none';
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'tenantscope.operation': operation,
    };
    const { traceparent } = request.headers;
    const span = recorder.beginRequest(
      `${request.method} ${route}`,
      attributes,
      typeof traceparent === 'string' ? traceparent : undefined,
    );
    spans.set(request, span);
    span.run(done);
  });
  fastify.addHook('onResponse', async (request, { statusCode }) => {
    spans.get(request)?.end({ 'http.response.status_code': statusCode }, statusCode >= 500);
  });
}
