import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RowView, Window } from '@tenantscope/contract';
import type { PagePosition } from '@tenantscope/store/read';

/** Everything that continues a list, so that `cursor=…` alone is a complete request. */
export interface CursorContent {
  readonly operation: string;
  readonly tenantId: string;
  readonly filters: Readonly<Record<string, readonly (string | boolean)[]>>;
  /** Whether the filters hold more than the client sent, such as the aliases of a user: the content is then encrypted. */
  readonly isPrivate: boolean;
  /** By axis. The bound of the sort axis is fixed; null means: up to the watermark of the next request. */
  readonly windows: Readonly<Record<string, Window>>;
  readonly sort: string;
  readonly limit: number;
  readonly after: PagePosition | null;
  /** What the rows are, if not those of the reference. */
  readonly view?: RowView | undefined;
  /** Of a list that another time sorts, with a window on the write clock: through when the feed was settled for the first page, in epoch ms. */
  readonly settledMs?: number | undefined;
}

export interface CursorCodec {
  encode(content: CursorContent): string;
  /** Null unless signed with one of the secrets. The caller checks the operation and the tenant. */
  decode(text: string): CursorContent | null;
}

/** Layout: version, id of the secret, content, MAC; base64url. */
const plain = 1;
const deflated = 2;
const encrypted = 3;
const cipherName = 'aes-256-ctr';
const ivBytes = 16;
const secretIdBytes = 4;
const macBytes = 16;
const deflateFromBytes = 512;
const contentMaxBytes = 1_048_576;

/** The first element of every content. Nothing reads it: what a promotion may change is decided where pages are bounded. */
const epoch = 1;

interface Secret {
  readonly id: Buffer;
  /** Created once: creating it from bytes for every cursor took five times as long as the digest. */
  readonly key: KeyObject;
  readonly encryptionKey: KeyObject;
}

/** Cursors are signed, and encrypted where they hold more than the client sent. The first secret signs, all of them verify; cursors never expire. A list that was rotated is another array. */
export function createCursorCodec(readSecrets: () => readonly string[]): CursorCodec {
  let secrets: readonly string[] = [];
  let ring: readonly Secret[] = [];
  const readRing = (): readonly Secret[] => {
    const present = readSecrets();
    if (present !== secrets) {
      secrets = present;
      ring = present.map(deriveSecret);
    }
    return ring;
  };
  const readSigning = (): Secret => {
    const [signing] = readRing();
    if (!signing) throw new TypeError('at least one cursor secret is required');
    return signing;
  };
  return {
    encode(content) {
      const signing = readSigning();
      const written = Buffer.from(JSON.stringify(pack(content)));
      const layout = content.isPrivate ? encrypted : written.length >= deflateFromBytes ? deflated : plain;
      const body = layout === plain ? written : deflateRawSync(written);
      const unsigned = Buffer.concat([
        Buffer.of(layout),
        signing.id,
        layout === encrypted ? encrypt(signing, body) : body,
      ]);
      return Buffer.concat([unsigned, computeMac(signing, unsigned)]).toString('base64url');
    },
    decode(text) {
      const bytes = Buffer.from(text, 'base64url');
      // Node skips characters that are not base64url; a cursor has exactly one encoding.
      if (bytes.length <= 1 + secretIdBytes + macBytes || bytes.toString('base64url') !== text) return null;
      const unsigned = bytes.subarray(0, -macBytes);
      const secret = readRing().find(({ id }) => id.equals(unsigned.subarray(1, 1 + secretIdBytes)));
      if (!secret || !timingSafeEqual(computeMac(secret, unsigned), bytes.subarray(-macBytes))) return null;
      const content = unsigned.subarray(1 + secretIdBytes);
      const layout = unsigned[0];
      const body = layout === encrypted ? decrypt(secret, content) : content;
      const written = layout === plain ? body : inflateRawSync(body, { maxOutputLength: contentMaxBytes });
      return unpack(JSON.parse(written.toString()), layout === encrypted);
    },
  };
}

function deriveSecret(secret: string): Secret {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'tenantscope cursor', 32 + secretIdBytes));
  const encryptionKey = Buffer.from(hkdfSync('sha256', secret, '', 'tenantscope cursor encryption', 32));
  return {
    key: createSecretKey(bytes.subarray(0, 32)),
    id: bytes.subarray(32),
    encryptionKey: createSecretKey(encryptionKey),
  };
}

/** The MAC covers the result. The vector is a digest of the content, so that equal contents have equal cursors. */
function encrypt(secret: Secret, content: Buffer): Buffer {
  const iv = createHmac('sha256', secret.encryptionKey).update(content).digest().subarray(0, ivBytes);
  return Buffer.concat([iv, createCipheriv(cipherName, secret.encryptionKey, iv).update(content)]);
}

function decrypt(secret: Secret, content: Buffer): Buffer {
  return createDecipheriv(cipherName, secret.encryptionKey, content.subarray(0, ivBytes)).update(
    content.subarray(ivBytes),
  );
}

function computeMac(secret: Secret, bytes: Buffer): Buffer {
  return createHmac('sha256', secret.key).update(bytes).digest().subarray(0, macBytes);
}

type Packed = readonly [
  epoch: number,
  operation: string,
  tenantId: string,
  sort: string,
  limit: number,
  windows: Record<string, readonly [number | null, number | null]>,
  after: readonly [number, string | null] | null,
  filters: CursorContent['filters'],
  view?: RowView | null,
  settledMs?: number,
];

function pack({ operation, tenantId, sort, limit, windows, after, filters, view, settledMs }: CursorContent): Packed {
  const bounds = Object.entries(windows).map(([axis, { fromMs, toMs }]) => [axis, [fromMs, toMs]] as const);
  const position = after && ([after.atMs, after.id] as const);
  const packed = [epoch, operation, tenantId, sort, limit, Object.fromEntries(bounds), position, filters] as const;
  if (settledMs !== undefined) return [...packed, view ?? null, settledMs];
  return view === undefined ? packed : [...packed, view];
}

/** A content with a valid MAC has this shape. */
function unpack(
  [, operation, tenantId, sort, limit, windows, after, filters, view, settledMs]: Packed,
  isPrivate: boolean,
): CursorContent {
  const bounds = Object.entries(windows).map(([axis, [fromMs, toMs]]) => [axis, { fromMs, toMs }] as const);
  return {
    operation,
    tenantId,
    sort,
    limit,
    windows: Object.fromEntries(bounds),
    after: after && { atMs: after[0], id: after[1] },
    filters,
    isPrivate,
    view: view ?? undefined,
    settledMs,
  };
}
