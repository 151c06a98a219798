import { z } from 'zod';
import { variable } from '../config/variables.ts';
import type { Log } from '../log.ts';
import { activate } from './spans.ts';

/** Declared by every process that records traces. */
export const traceVariables = {
  TENANTSCOPE_TRACES_URL: variable(
    'URL to which traces are sent as OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. By default no trace is recorded.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  TENANTSCOPE_TRACES_SHARE: variable(
    'Share of requests and batches whose trace is recorded.',
    z.coerce.number().gt(0).max(1).default(0.1),
  ),
};

export interface TraceSettings {
  readonly TENANTSCOPE_TRACES_URL?: string | undefined;
  readonly TENANTSCOPE_TRACES_SHARE: number;
}

/** Records traces from now on, if an address is configured. Disposing sends what is recorded. Without an address no library is loaded. */
export async function startTraces(settings: TraceSettings, process: string, log: Log): Promise<AsyncDisposable> {
  const { TENANTSCOPE_TRACES_URL: url, TENANTSCOPE_TRACES_SHARE: share } = settings;
  if (url === undefined) return { async [Symbol.asyncDispose]() {} };
  const { createOtlpRecorder } = await import('./otlp-recorder.ts');
  const recorder = createOtlpRecorder({ url, share, service: `tenantscope-${process}`, log });
  activate(recorder);
  return {
    async [Symbol.asyncDispose]() {
      activate(null);
      await recorder[Symbol.asyncDispose]();
    },
  };
}
