import { isAttended } from './attended.ts';
import { admitted, shutDoor } from './session.ts';

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

/** Whether nobody is signed in any more. */
export const isOut = (error: unknown): boolean =>
  error instanceof Refused && (error.code === 'NOT_SIGNED_IN' || error.code === 'SESSION_ENDED');

/** Nothing came, or not in time. `mayBeDone`: what was wanted may have been done all the same. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly mayBeDone: boolean;

  constructor({ mayBeDone = false, ...options }: ErrorOptions & { mayBeDone?: boolean } = {}) {
    super('no answer', options);
    this.mayBeDone = mayBeDone;
  }
}

const base = '/console/api';

/** After this long an answer is not awaited any more: a server that hangs is one that does not answer. */
const answerTimeoutMs = 10_000;
/** A change is waited for longer: its maker should not be left in doubt. */
const changeTimeoutMs = 25_000;
/** Longer than the server waits for the api. */
const runTimeoutMs = 75_000;

/** What is asked to find out who is in, and how one comes in; all else is asked in somebody's name. */
const askedByAnybody = ['/me', '/sign-in'];

export async function ask<Answer>(path: string, signal?: AbortSignal, timeoutMs = answerTimeoutMs): Promise<Answer> {
  if (!askedByAnybody.includes(path)) await admitted();
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(timeoutMs);
  // What asks by itself does not keep a session alive that nobody sits at.
  const headers: HeadersInit = isAttended() ? {} : { 'X-Unattended': '1' };
  return answered(path, { headers, signal: signal ? AbortSignal.any([signal, late]) : late }, read<Answer>);
}

export async function change<Answer = unknown>(path: string, body: unknown = {}, method = 'POST'): Promise<Answer> {
  return answered(path, { ...json(body, method), signal: AbortSignal.timeout(changeTimeoutMs) }, read<Answer>);
}

/** The answer's bytes as they came, and what stands in its headers. */
export function changeForBytes(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const init = { ...json(body, 'POST'), signal: AbortSignal.any([signal, AbortSignal.timeout(runTimeoutMs)]) };
  return answered(path, init, async (answer) => {
    if (!answer.ok) throw await refusal(answer);
    return new Response(await answer.arrayBuffer(), answer);
  });
}

/** Whatever goes wrong on the way, or ends in the middle, is no answer; what the asker gave up itself is its own affair. */
async function answered<Answer>(
  path: string,
  init: RequestInit,
  readAnswer: (answer: Response) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await readAnswer(await fetch(base + path, init));
  } catch (cause) {
    if (cause instanceof Refused || (cause instanceof DOMException && cause.name === 'AbortError')) throw cause;
    throw new NoAnswer({ cause, mayBeDone: init.method !== undefined });
  }
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
  const refused = new Refused(answer.status, body.error ?? {});
  if (isOut(refused)) shutDoor();
  return refused;
}
