import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Window } from '@tenantscope/contract';
import type { Position } from './page-decision.ts';

/** Everything a continued list needs, so that `cursor=…` alone is a whole request. */
export interface CursorContent {
  readonly operation: string;
  readonly tenantId: string;
  readonly filters: Readonly<Record<string, readonly (string | boolean)[]>>;
  /** By axis. The bound of the sort's own axis is fixed; null there means: to wherever the feed is settled by then. */
  readonly windows: Readonly<Record<string, Window>>;
  readonly sort: string;
  readonly limit: number;
  readonly after: Position | null;
}

export interface Cursors {
  seal(content: CursorContent): string;
  /** Null for anything that was not sealed with one of the secrets. Whose it is, is for the caller to check. */
  open(text: string): CursorContent | null;
}

/** Layout: version, id of the secret, content, MAC; base64url. */
const plain = 1;
const deflated = 2;
const secretIdBytes = 4;
const macBytes = 16;
const deflateFromBytes = 512;
const contentMaxBytes = 1_048_576;

/** Changes when a promotion may have cut history short; today there has been none. */
const epoch = 1;

interface Secret {
  readonly id: Buffer;
  /** Made once: from bytes it would be made for every cursor, which took five times as long as the digest. */
  readonly key: KeyObject;
}

/** Signed, not secret: a cursor says nothing its reader did not ask for. The first secret signs, all of them verify; cursors never expire. */
export function createCursors(secrets: readonly string[]): Cursors {
  const ring = secrets.map(derive);
  const [signing] = ring;
  if (!signing) throw new TypeError('cursors need a secret');
  return {
    seal(content) {
      const written = Buffer.from(JSON.stringify(pack(content)));
      const long = written.length >= deflateFromBytes;
      const unsigned = Buffer.concat([
        Buffer.of(long ? deflated : plain),
        signing.id,
        long ? deflateRawSync(written) : written,
      ]);
      return Buffer.concat([unsigned, macOf(signing, unsigned)]).toString('base64url');
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      // Node skips what is no base64url; a cursor has one spelling.
      if (bytes.length <= 1 + secretIdBytes + macBytes || bytes.toString('base64url') !== text) return null;
      const unsigned = bytes.subarray(0, -macBytes);
      const secret = ring.find(({ id }) => id.equals(unsigned.subarray(1, 1 + secretIdBytes)));
      if (!secret || !timingSafeEqual(macOf(secret, unsigned), bytes.subarray(-macBytes))) return null;
      const content = unsigned.subarray(1 + secretIdBytes);
      const written =
        unsigned[0] === deflated ? inflateRawSync(content, { maxOutputLength: contentMaxBytes }) : content;
      return unpack(JSON.parse(written.toString()));
    },
  };
}

function derive(secret: string): Secret {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'tenantscope cursor', 32 + secretIdBytes));
  return { key: createSecretKey(bytes.subarray(0, 32)), id: bytes.subarray(32) };
}

function macOf(secret: Secret, bytes: Buffer): Buffer {
  return createHmac('sha256', secret.key).update(bytes).digest().subarray(0, macBytes);
}

type Packed = readonly [
  epoch: number,
  operation: string,
  tenantId: string,
  sort: string,
  limit: number,
  windows: Record<string, readonly [number | null, number | null]>,
  after: readonly [number, string] | null,
  filters: CursorContent['filters'],
];

function pack({ operation, tenantId, sort, limit, windows, after, filters }: CursorContent): Packed {
  const bounds = Object.entries(windows).map(([axis, { fromMs, toMs }]) => [axis, [fromMs, toMs]] as const);
  return [
    epoch,
    operation,
    tenantId,
    sort,
    limit,
    Object.fromEntries(bounds),
    after && [after.atMs, after.id],
    filters,
  ];
}

/** What carries our MAC has our shape. */
function unpack([, operation, tenantId, sort, limit, windows, after, filters]: Packed): CursorContent {
  const bounds = Object.entries(windows).map(([axis, [fromMs, toMs]]) => [axis, { fromMs, toMs }] as const);
  return {
    operation,
    tenantId,
    sort,
    limit,
    windows: Object.fromEntries(bounds),
    after: after && { atMs: after[0], id: after[1] },
    filters,
  };
}
