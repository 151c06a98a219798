import { type ListedOperation, type RunSummary, runInPlayground, runSummary } from '../../../../api/playground.ts';
import type { PlaygroundRequest } from '../../../../api/playground-request.ts';
import { callForBytes } from '../../../client/api-client.ts';
import { indexJson, type JsonIndex } from '../json/json-index.ts';
import { children, findMember, isOpening, parseValue, rawValue, stringValue } from '../json/json-members.ts';
import { type FormState, requestFromForm } from '../request/form-state.ts';

/** One response: its raw bytes, and what is shown of them. */
export interface ResponsePage {
  readonly request: PlaygroundRequest;
  readonly meta: RunSummary;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Null when there are too many to be shown. */
  readonly document: JsonIndex | null;
  readonly parsed: ParsedResponse;
}

export interface ParsedResponse {
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

const shownMaxBytes = 20_000_000;

export async function runRequest(
  formState: FormState & { readonly added?: string },
  operation: ListedOperation,
  signal: AbortSignal,
): Promise<ResponsePage> {
  const { id, ...rest } = formState;
  const response = await callForBytes(runInPlayground, { ...rest, ...(id === '' ? {} : { id }) }, signal);
  const meta = parseRunSummary(response.headers.get('x-run') ?? '');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isShown = bytes.length <= shownMaxBytes;
  const document = isShown ? await indexJson(new TextDecoder().decode(bytes), signal) : null;
  const request = requestFromForm(formState, operation);
  return {
    request,
    meta,
    bytes,
    document,
    parsed: document === null ? emptyResponse : parseResponse(document, formState.mode),
  };
}

function parseRunSummary(header: string): RunSummary {
  const binary = atob(header.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return runSummary.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

const emptyResponse: ParsedResponse = {
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

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: string;
  readonly details?: ParsedResponse['details'];
}
interface Pagination {
  readonly nextCursor?: string | null;
  readonly completeThrough?: string | null;
  readonly window?: ParsedResponse['window'];
}

function parseResponse(document: JsonIndex, mode: FormState['mode']): ParsedResponse {
  const result = mode === 'mcp' ? findMember(document, 0, 'result') : -1;
  const text = result < 0 ? null : toolText(document, result);
  const body = result < 0 ? 0 : findMember(document, result, 'structuredContent');
  const isError = result >= 0 && parseValue(document, findMember(document, result, 'isError')) === true;
  const data = findMember(document, body, 'data');
  const isList = data >= 0 && document.text[document.values[data] ?? 0] === '[';
  const pagination = (parseValue(document, findMember(document, body, 'pagination')) ?? {}) as Pagination;
  const failed = (isError ? errorIn(text) : parseValue(document, findMember(document, body, 'error'))) as
    | ErrorBody
    | undefined;
  return {
    data,
    rows: isList ? [...children(document, data)].filter((line) => isOpening(document, line)) : null,
    nextCursor: pagination.nextCursor ?? null,
    completeThrough: pagination.completeThrough ?? null,
    window: pagination.window ?? null,
    code: typeof failed?.code === 'string' ? failed.code : null,
    message: failed?.message ?? null,
    details: failed?.details ?? [],
    tool: mode === 'rest' ? null : { isError, isSame: text !== null && body >= 0 && text === rawValue(document, body) },
  };
}

function toolText(document: JsonIndex, result: number): string | null {
  const [first] = children(document, findMember(document, result, 'content'));
  return first === undefined ? null : stringValue(document, findMember(document, first, 'text'));
}

function errorIn(text: string | null): unknown {
  try {
    return (JSON.parse(text ?? '{}') as { error?: unknown }).error;
  } catch {
    return undefined;
  }
}
