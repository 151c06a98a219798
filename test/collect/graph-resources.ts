/** A response of a resource of Microsoft Graph. */
export interface GraphReply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const graphError = (status: number, code: string, message: string): GraphReply => ({
  status,
  body: { error: { code, message, innerError: { 'request-id': 'r' } } },
});

/** A resource answers requests for its path; `url` has the query. */
export type GraphResource = (url: URL) => GraphReply;

export interface TimedRecord {
  readonly [member: string]: unknown;
}

export interface TimedList {
  readonly resource: GraphResource;
  /** Adds a record, or replaces the state with its id. It is listed from then on. */
  put(record: TimedRecord, listedInMs?: number): void;
  /** Links to next pages are refused from now on. */
  expireLinks(): void;
}

/**
 * A list with a filter by time. States are ordered from the newest, and their pages counted (`$skip`), as those of alerts are; other lists have opaque tokens.
 */
export function createTimedList(
  time: string,
  options: { readonly isState: boolean; readonly pageMax: number },
): TimedList {
  const listed = new Map<string, { readonly record: TimedRecord; readonly listedAtMs: number }>();
  let generation = 1;
  return {
    put: (record, listedInMs = 0) =>
      void listed.set(String(record.id), { record, listedAtMs: Date.now() + listedInMs }),
    expireLinks() {
      generation += 1;
    },
    resource(url) {
      const bounds = readBounds(url.searchParams.get('$filter') ?? '', time);
      if (bounds === null) return graphError(400, 'BadRequest', 'Invalid filter clause');
      const top = Math.min(Number(url.searchParams.get('$top') ?? 100), options.pageMax);
      const [from, isValid] = readStart(url, options.isState, generation);
      if (!isValid) return graphError(400, 'BadRequest', 'The skip token has expired.');
      const found = [...listed.values()]
        .filter(({ listedAtMs }) => listedAtMs <= Date.now())
        .map(({ record }) => record)
        .filter((record) => {
          const at = Date.parse(String(record[time]));
          return at >= bounds.fromMs && at <= bounds.toMs;
        })
        .toSorted((a, b) => Date.parse(String(b[time])) - Date.parse(String(a[time])));
      const value = found.slice(from, from + top);
      if (from + top >= found.length) return { status: 200, body: { value } };
      const next = new URL(url);
      if (options.isState) next.searchParams.set('$skip', String(from + top));
      else next.searchParams.set('$skiptoken', `${generation}_${from + top}`);
      return { status: 200, body: { '@odata.nextLink': next.href, value } };
    },
  };
}

function readBounds(filter: string, time: string): { fromMs: number; toMs: number } | null {
  const match = new RegExp(`^${time} ge (\\S+)(?: and ${time} le (\\S+))?$`).exec(filter);
  if (match === null) return null;
  const bounds = { fromMs: Date.parse(match[1] ?? ''), toMs: match[2] === undefined ? Infinity : Date.parse(match[2]) };
  return Number.isNaN(bounds.fromMs) || Number.isNaN(bounds.toMs) ? null : bounds;
}

function readStart(url: URL, isState: boolean, generation: number): readonly [from: number, isValid: boolean] {
  if (isState) return [Number(url.searchParams.get('$skip') ?? 0), true];
  const token = url.searchParams.get('$skiptoken');
  if (token === null) return [0, true];
  const [of, from = 0] = token.split('_').map(Number);
  return [from, of === generation];
}

export interface DirectoryList {
  readonly resource: GraphResource;
  put(object: TimedRecord): void;
  remove(id: string): void;
  /** States of delta queries are discarded: 410, with the address of a full enumeration. */
  reset(): void;
}

/** Objects of the directory with a delta query: an enumeration in pages, then the changes since a token, repeated ones included. */
export function createDirectoryList(pageMax: number): DirectoryList {
  const changes: { readonly id: string; readonly object: TimedRecord }[] = [];
  let generation = 1;
  return {
    put: (object) => void changes.push({ id: String(object.id), object }),
    remove: (id) => void changes.push({ id, object: { id, '@removed': { reason: 'deleted' } } }),
    reset() {
      generation += 1;
    },
    resource(url) {
      const token = url.searchParams.get('$skiptoken') ?? url.searchParams.get('$deltatoken');
      const select = url.searchParams.get('$select');
      if (token === null && select === null) return graphError(400, 'BadRequest', 'The test expects $select');
      const [of, since, from, selected = select ?? ''] = token?.split('_') ?? [String(generation), '0', '0'];
      if (Number(of) !== generation) {
        const reply = graphError(410, 'syncStateNotFound', 'The sync state generation is not found');
        return { ...reply, headers: { location: `${url.origin}${url.pathname}?$deltatoken=` } };
      }
      const found =
        Number(since) === 0 ? listPresent(changes) : changes.slice(Number(since)).map(({ object }) => object);
      const value = found.slice(Number(from), Number(from) + pageMax).map((object) => selectMembers(object, selected));
      const isLast = Number(from) + pageMax >= found.length;
      const next = new URL(url.pathname, url.origin);
      if (isLast) next.search = `$deltatoken=${generation}_${changes.length}_0_${selected}`;
      else next.search = `$skiptoken=${generation}_${since}_${Number(from) + pageMax}_${selected}`;
      return { status: 200, body: { [isLast ? '@odata.deltaLink' : '@odata.nextLink']: next.href, value } };
    },
  };
}

function listPresent(changes: readonly { readonly id: string; readonly object: TimedRecord }[]): TimedRecord[] {
  const present = new Map(changes.map(({ id, object }) => [id, object]));
  return [...present.values()].filter((object) => object['@removed'] === undefined);
}

function selectMembers(object: TimedRecord, selected: string): TimedRecord {
  const names = new Set([...selected.split(','), 'id', '@removed']);
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
}
