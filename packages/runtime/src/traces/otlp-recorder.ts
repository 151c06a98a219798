import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import type { SpanAttributes, SpanRecorder } from './spans.ts';

const warningIntervalMs = 60_000;
const exportTimeoutMs = 5_000;

export interface OtlpOptions {
  readonly url: string;
  readonly share: number;
  readonly service: string;
  readonly log: Log;
}

/** Sends spans in batches. A collector that is down loses them and delays nothing. */
export function createOtlpRecorder({ url, share, service, log }: OtlpOptions): SpanRecorder {
  const warn = createWarning(log);
  setGlobalErrorHandler(warn);
  const sampler = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    // A client must not decide how much is recorded.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler, remoteParentNotSampled: sampler }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }) }),
    ],
  });
  const tracer = provider.getTracer('tenantscope');
  const contexts = new AsyncLocalStorage<Context>();
  const begin = (name: string, kind: SpanKind, attributes: SpanAttributes, parent: Context) => {
    const span = tracer.startSpan(name, { kind, attributes: { ...attributes } }, parent);
    return { span, context: trace.setSpan(parent, span) };
  };
  return {
    beginRequest(name, attributes, traceparent) {
      const remote = traceparent === undefined ? null : parseTraceParent(traceparent);
      const parent = remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true });
      const { span, context } = begin(name, SpanKind.SERVER, attributes, parent);
      return {
        run: (work) => contexts.run(context, work),
        end(result, isFailure) {
          span.setAttributes({ ...result });
          end(span, isFailure);
        },
      };
    },
    async run(name, attributes, work) {
      const { span, context } = begin(name, SpanKind.INTERNAL, attributes, contexts.getStore() ?? ROOT_CONTEXT);
      try {
        const value = await contexts.run(context, work);
        end(span, false);
        return value;
      } catch (error) {
        // Messages of errors may contain values of records.
        end(span, true);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => provider.shutdown().catch(warn),
  };
}

function end(span: Span, isFailure: boolean): void {
  if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function createWarning(log: Log): (error: unknown) => void {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - warnedAtMs < warningIntervalMs) return;
    warnedAtMs = performance.now();
    log.warn({ err: error }, 'sending traces failed; they are lost');
  };
}
