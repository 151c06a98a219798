import type { Json } from '@tenantscope/proof';
import type { StatementState } from '@tenantscope/store/compliance';
import { maskFreeText } from '../personal-data/mask-personal-data.ts';
import { toIsoTime, toText } from './reported-value.ts';

type Members = Readonly<Record<string, unknown>>;

/** A text that a person wrote about a decision. */
export function toStatedText(value: unknown): string | null {
  const text = toText(value);
  return text === null ? null : maskFreeText(text);
}

/** References as reported: a text, or the address, digest and title of a document. */
function toReferences(value: unknown): Json {
  if (!Array.isArray(value)) return [];
  return value.map((one: unknown): Json => {
    if (typeof one === 'string') return { uri: null, sha256: null, title: toStatedText(one) };
    const { uri, sha256, title } = (one ?? {}) as Members;
    return { uri: toText(uri), sha256: toText(sha256), title: toStatedText(title) };
  });
}

/** What both kinds of statements show of a state: who wrote it, what followed it, and its withdrawal. */
export function describeStatement({ facts, ...state }: StatementState) {
  return {
    version: state.version,
    sha256: state.sha256,
    evidenceRefs: toReferences(facts.evidenceRefs),
    recordedBy: state.recordedBy.toWellFormed(),
    recordedAt: toIsoTime(state.recordedMs),
    replacedAt: toIsoTime(state.replacedMs),
    withdrawnAt: toIsoTime(facts.withdrawnAt),
    withdrawnBy: toText(facts.withdrawnBy),
    withdrawalReason: toStatedText(facts.withdrawalReason),
  };
}

/** Epoch ms of a reported time; null if there is none. */
export function toEpochMs(value: unknown): number | null {
  const time = toIsoTime(value);
  return time === null ? null : Date.parse(time);
}
