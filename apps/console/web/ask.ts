/** A refusal of the console, in the words its server gives. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: readonly { parameter: string; reason: string }[];

  constructor(status: number, error: { code?: string; message?: string; requestId?: string; details?: [] }) {
    super(error.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = error.code ?? 'UNKNOWN';
    this.requestId = error.requestId ?? null;
    this.details = error.details ?? [];
  }
}

const base = '/console/api';

/** After this long an answer is not awaited any more: a server that hangs is one that does not answer. */
const answerTimeoutMs = 10_000;

export async function ask<Answer>(path: string, signal?: AbortSignal, timeoutMs = answerTimeoutMs): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  return read(await fetch(base + path, { signal: signal ? AbortSignal.any([signal, late]) : late }));
}

export async function change<Answer = unknown>(path: string, body: unknown = {}, method = 'POST'): Promise<Answer> {
  return read(await fetch(base + path, json(body, method)));
}

/** The answer's bytes as they came, and what stands in its headers. */
export async function changeForBytes(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const answer = await fetch(base + path, { ...json(body, 'POST'), signal });
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

const json = (body: unknown, method: string): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

async function read<Answer>(answer: Response): Promise<Answer> {
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as Answer;
}

async function refusal(answer: Response): Promise<Refused> {
  const body = (await answer.json().catch(() => ({}))) as { error?: object };
  return new Refused(answer.status, body.error ?? {});
}
