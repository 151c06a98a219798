import { sliceElements, sliceMember } from '@tenantscope/intake';
import { ProviderFailure } from '../provider/provider-failure.ts';
import { toObject } from './error-text.ts';

/** The list of records of a response: its values, and its text without a change of digits or escapes. */
export interface JsonPage {
  readonly values: readonly unknown[];
  readonly records: readonly Buffer[];
  /** The other members, where the page is an object. */
  readonly page: Readonly<Record<string, unknown>>;
}

/**
 * Of a page, with the values inside of its records. Pages consist of texts: one of small values alone, such as `{},`, has eleven million of them in
 * 32 MiB, which take more memory as objects than the process has.
 */
const valuesMax = 3_000_000;
const recordsMax = 100_000;

/**
 * @param member where the page is an object, the member with the list. Null: the page is the list
 * @param isEmpty of a page without the list, by its other members, whether it has no records; otherwise it is a failure, such as an error that is sent with status 200
 */
export function parseJsonPage(
  body: Buffer,
  member: string | null,
  host: string,
  isEmpty: (page: JsonPage['page']) => boolean = () => false,
): JsonPage {
  if (body.length > 2 * valuesMax && !hasFewValues(body)) throw tooLarge(host, `${valuesMax} values`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderFailure('unavailable', `${host} sent no complete JSON document`);
  }
  const page = toObject(parsed);
  const isObject = page === parsed && !Array.isArray(parsed);
  const values = member === null ? parsed : (page[member] ?? (isObject && isEmpty(page) ? [] : null));
  if (!Array.isArray(values))
    throw new ProviderFailure('invalid', `${host} sent a document without the list of records`);
  if (values.length > recordsMax) throw tooLarge(host, `${recordsMax} records`);
  const list = member === null ? body : sliceMember(body, member);
  return { values, records: list === null || values.length === 0 ? [] : sliceElements(list), page };
}

const tooLarge = (host: string, limit: string) =>
  new ProviderFailure('tooLarge', `a response of ${host} has more than ${limit}`);

/** Each value but the first of a list or an object has a comma before it. Commas of texts count too: a page has fewer than values. */
function hasFewValues(body: Buffer): boolean {
  let count = 0;
  for (const byte of body) if (byte === comma || byte === openBracket || byte === openBrace) count += 1;
  return count <= valuesMax;
}

const [comma, openBracket, openBrace] = Buffer.from(',[{');
