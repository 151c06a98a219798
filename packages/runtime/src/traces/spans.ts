/** What a span may say: nothing in it names a tenant, a key or a person. */
export interface SpanAttributes {
  readonly 'http.request.method'?: string;
  readonly 'http.response.status_code'?: number;
  /** The pattern of the path, without the id of a record. */
  readonly 'http.route'?: string;
  readonly 'tenantscope.operation'?: string;
  readonly 'messaging.destination.name'?: string;
  readonly 'messaging.destination.partition.id'?: string;
  readonly 'messaging.batch.message_count'?: number;
}

export interface ServerSpan {
  /** Spans that begin in the work are its children. */
  run<Value>(work: () => Value): Value;
  end(attributes: SpanAttributes, isFailure: boolean): void;
}

export interface SpanRecorder extends AsyncDisposable {
  /** A span of a request. `traceparent` is the header of the client: its trace is continued, and does not decide whether it is recorded. */
  beginRequest(name: string, attributes: SpanAttributes, traceparent: string | undefined): ServerSpan;
  run<Value>(name: string, attributes: SpanAttributes, work: () => Promise<Value>): Promise<Value>;
}

let recorder: SpanRecorder | null = null;

/** Null unless this process records traces, which `startTraces` decides once. */
export const activeRecorder = (): SpanRecorder | null => recorder;

export function activate(started: SpanRecorder | null): void {
  recorder = started;
}

/** Runs the work, as a span where traces are recorded. */
export function withSpan<Value>(name: string, attributes: SpanAttributes, work: () => Promise<Value>): Promise<Value> {
  return recorder === null ? work() : recorder.run(name, attributes, work);
}
