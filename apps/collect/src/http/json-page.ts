import { sliceElements, sliceMember } from '@tenantscope/intake';
import { ProviderFailure } from '../provider/provider-failure.ts';

/** The list of records of a response: its values, and its text without a change of digits or escapes. */
export interface JsonPage {
  readonly values: readonly unknown[];
  readonly records: readonly Buffer[];
  /** The other members, where the page is an object. */
  readonly page: Readonly<Record<string, unknown>>;
}

/** @param member where the page is an object, the member with the list; an absent one is an empty list. Null: the page is the list */
export function parseJsonPage(body: Buffer, member: string | null, host: string): JsonPage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderFailure('unavailable', `${host} sent no complete JSON document`);
  }
  const page = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  const values = member === null ? parsed : (page[member] ?? []);
  if (!Array.isArray(values) || (member !== null && Array.isArray(parsed)))
    throw new ProviderFailure('invalid', `${host} sent a document without the list of records`);
  const list = member === null ? body : sliceMember(body, member);
  return { values, records: list === null || values.length === 0 ? [] : sliceElements(list), page };
}
