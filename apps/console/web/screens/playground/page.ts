import { changeForBytes } from '../../ask.ts';
import type { AskedOperation } from '../../asked.ts';
import { type Indexed, indexed } from './indexed.ts';
import { childrenOf, isOpening, memberOf, rawOf, smallValueOf, textOf } from './members.ts';
import type { PlaygroundRequest } from './request.ts';
import { requestOfForm, type Wanted } from './wanted.ts';

/** What came back beside the body. */
export interface Told {
  readonly status: number;
  readonly ms: number;
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One answer: the bytes as they came, and what is shown of them. */
export interface Page {
  readonly request: PlaygroundRequest;
  readonly told: Told;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Null when there are too many to be shown. */
  readonly document: Indexed | null;
  readonly read: Read;
}

export interface Read {
  /** The line of `data`, which holds the rows or the one record; -1 where there is none. */
  readonly data: number;
  /** The lines that rows begin with. */
  readonly rows: readonly number[] | null;
  readonly nextCursor: string | null;
  readonly completeThrough: string | null;
  readonly window: { readonly from: string | null; readonly to: string | null } | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly details: readonly { readonly parameter: string; readonly reason: string }[];
  /** Of a tool's answer: whether it is a refusal, and whether the text and the structured content are the same characters. */
  readonly tool: { readonly isError: boolean; readonly isSame: boolean } | null;
}

export const shownMaxBytes = 20_000_000;

export async function run(
  wanted: Wanted & { readonly added?: string },
  operation: AskedOperation,
  signal: AbortSignal,
): Promise<Page> {
  const { id, ...rest } = wanted;
  const answer = await changeForBytes('/playground/run', { ...rest, ...(id === '' ? {} : { id }) }, signal);
  const told = toldOf(answer.headers.get('x-run') ?? '');
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const isShown = bytes.length <= shownMaxBytes;
  const document = isShown ? await indexed(new TextDecoder().decode(bytes), signal) : null;
  const request = requestOfForm(wanted, operation);
  return { request, told, bytes, document, read: document === null ? nothing : readOf(document, wanted.mode) };
}

function toldOf(header: string): Told {
  const binary = atob(header.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Told;
}

const nothing: Read = {
  data: -1,
  rows: null,
  nextCursor: null,
  completeThrough: null,
  window: null,
  code: null,
  message: null,
  details: [],
  tool: null,
};

interface Failed {
  readonly code?: unknown;
  readonly message?: string;
  readonly details?: Read['details'];
}
interface Pagination {
  readonly nextCursor?: string | null;
  readonly completeThrough?: string | null;
  readonly window?: Read['window'];
}

function readOf(document: Indexed, mode: Wanted['mode']): Read {
  const result = mode === 'mcp' ? memberOf(document, 0, 'result') : -1;
  const text = result < 0 ? null : toolText(document, result);
  const body = result < 0 ? 0 : memberOf(document, result, 'structuredContent');
  const isError = result >= 0 && smallValueOf(document, memberOf(document, result, 'isError')) === true;
  const data = memberOf(document, body, 'data');
  const isList = data >= 0 && document.text[document.values[data] ?? 0] === '[';
  const pagination = (smallValueOf(document, memberOf(document, body, 'pagination')) ?? {}) as Pagination;
  const failed = (isError ? errorIn(text) : smallValueOf(document, memberOf(document, body, 'error'))) as
    | Failed
    | undefined;
  return {
    data,
    rows: isList ? [...childrenOf(document, data)].filter((line) => isOpening(document, line)) : null,
    nextCursor: pagination.nextCursor ?? null,
    completeThrough: pagination.completeThrough ?? null,
    window: pagination.window ?? null,
    code: typeof failed?.code === 'string' ? failed.code : null,
    message: failed?.message ?? null,
    details: failed?.details ?? [],
    tool: mode === 'rest' ? null : { isError, isSame: text !== null && body >= 0 && text === rawOf(document, body) },
  };
}

function toolText(document: Indexed, result: number): string | null {
  const [first] = childrenOf(document, memberOf(document, result, 'content'));
  return first === undefined ? null : textOf(document, memberOf(document, first, 'text'));
}

function errorIn(text: string | null): unknown {
  try {
    return (JSON.parse(text ?? '{}') as { error?: unknown }).error;
  } catch {
    return undefined;
  }
}
