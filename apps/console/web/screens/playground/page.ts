import { changeForBytes } from '../../ask.ts';

/** What is asked in the playground. */
export interface Wanted {
  readonly operation: string;
  readonly tenantId: string;
  readonly mode: 'rest' | 'mcp';
  /** Whose scopes: `me`, or a key. */
  readonly scopesOf: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What went out and came back, but for the body. */
export interface Told {
  readonly status: number;
  readonly ms: number;
  readonly size: number;
  readonly request: { readonly method: string; readonly path: string; readonly body: string | null };
  readonly headers: Readonly<Record<string, string>>;
}

/** One answer: the bytes as they came, and what is shown of them. */
export interface Page {
  readonly told: Told;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Null when there are too many to be shown. */
  readonly text: string | null;
  readonly read: Read;
}

export interface Read {
  readonly rows: readonly Row[] | null;
  readonly nextCursor: string | null;
  readonly completeThrough: string | null;
  readonly window: { readonly from: string | null; readonly to: string | null } | null;
  readonly message: string | null;
  readonly details: readonly { readonly parameter: string; readonly reason: string }[];
  readonly isError: boolean;
}

export type Row = Readonly<Record<string, unknown>>;

const shownMaxBytes = 20_000_000;

export async function run(wanted: Wanted, signal: AbortSignal): Promise<Page> {
  const { id, ...rest } = wanted;
  const answer = await changeForBytes('/playground/run', { ...rest, ...(id === '' ? {} : { id }) }, signal);
  const told = toldOf(answer.headers.get('x-run') ?? '');
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = bytes.length > shownMaxBytes ? null : new TextDecoder().decode(bytes);
  return { told, bytes, text, read: read(text, wanted.mode) };
}

function toldOf(header: string): Told {
  const binary = atob(header.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Told;
}

const nothing: Read = {
  rows: null,
  nextCursor: null,
  completeThrough: null,
  window: null,
  message: null,
  details: [],
  isError: false,
};

interface Body {
  readonly data?: unknown;
  readonly pagination?: Pick<Read, 'nextCursor' | 'completeThrough' | 'window'>;
  readonly error?: { readonly message?: string; readonly details?: Read['details'] };
  readonly result?: {
    readonly structuredContent?: Body;
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
  };
}

function read(text: string | null, mode: Wanted['mode']): Read {
  if (text === null) return nothing;
  try {
    const whole = exactly(text) as Body;
    const failed = whole.result?.isError === true;
    const body = mode === 'rest' ? whole : failed ? innerError(whole) : (whole.result?.structuredContent ?? whole);
    return {
      rows: Array.isArray(body.data) ? (body.data as Row[]) : null,
      nextCursor: body.pagination?.nextCursor ?? null,
      completeThrough: body.pagination?.completeThrough ?? null,
      window: body.pagination?.window ?? null,
      message: body.error?.message ?? null,
      details: body.error?.details ?? [],
      isError: failed,
    };
  } catch {
    return nothing;
  }
}

const innerError = (body: Body): Body => JSON.parse(body.result?.content?.[0]?.text ?? '{}') as Body;

/** A number whose digits JavaScript would change. */
class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
  toString(): string {
    return this.source;
  }
  toJSON(): unknown {
    return 'rawJSON' in JSON ? (JSON.rawJSON as (text: string) => unknown)(this.source) : this.source;
  }
}

function exactly(text: string): unknown {
  // @NOTE the third argument is newer than the types of the language.
  const keep = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? new Digits(context.source)
      : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

/** A value in a cell. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Digits) return value.source;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
