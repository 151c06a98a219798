import { canonical, type Json, NotCanonical } from './canonical.ts';
import { differenceAt, spokenPath } from './difference.ts';
import { digestOf, sha256Hex, uuidV8FromDigest } from './digest.ts';
import type { KeySet } from './jwks.ts';
import { type Integrity, manifestOf, signedText } from './manifest.ts';
import { type Pack, readPack } from './read-pack.ts';
import { kidOf, verifyDetached } from './signature.ts';

/** What is wrong, and where: `member` is a path such as `metadata`, `sections.inventory` or `sections.inventory.rows[3].name`. */
export interface Fault {
  readonly member: string;
  readonly reason: string;
}

export type PackVerdict =
  | {
      readonly sound: true;
      /** `unchecked`: there is a signature and no keys were given, so nobody says who made the pack. */
      readonly signature: 'valid' | 'unchecked' | 'absent';
      readonly kid: string | null;
      readonly packId: string;
      readonly packSha256: string;
    }
  | { readonly sound: false; readonly faults: readonly Fault[] };

/**
 * Checks the body of an evidence pack's answer as it came, byte for byte: `{"data":pack}` in its RFC 8785 text, which is how it is
 * sent. Any other serialisation of the same values is refused, so that no byte escapes: repeated names, white space,
 * another order of members. With keys, a pack that is not signed by one of them is not sound.
 */
export async function verifyPack(bytes: Uint8Array, keys: KeySet | null): Promise<PackVerdict> {
  const read = readSent(bytes);
  if ('member' in read) return { sound: false, faults: [read] };
  const pack = readPack(read.body);
  if ('member' in pack) return { sound: false, faults: [pack] };
  const { integrity } = pack;
  const faults = [...(await digestFaults(pack)), ...(await signatureFaults(integrity, keys))];
  if (faults.length > 0) return { sound: false, faults };
  const { packId, packSha256, signature } = integrity;
  const checked = signature === null ? 'absent' : keys === null ? 'unchecked' : 'valid';
  return { sound: true, signature: checked, kid: signature?.kid ?? null, packId, packSha256 };
}

function readSent(bytes: Uint8Array): { readonly body: Json } | Fault {
  let text: string;
  let body: Json;
  try {
    // A byte order mark is a byte that was not sent.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { member: '', reason: 'not UTF-8' };
  }
  try {
    body = JSON.parse(text);
  } catch {
    return { member: '', reason: 'not JSON' };
  }
  try {
    const sent = canonical(body);
    if (sent === text) return { body };
    return differenceAt(body, sent, text);
  } catch (error) {
    if (error instanceof NotCanonical) return { member: spokenPath(body, error.path), reason: error.reason };
    throw error;
  }
}

async function digestFaults(pack: Pack): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, section] of pack.sections.entries()) {
    const rows = section.rows ?? [];
    const member = `sections.${String(section.key ?? index)}.rows`;
    if ((await digestOf(rows)) !== section.sha256)
      faults.push({ member, reason: "differs from the section's own sha256" });
  }
  const { manifest, packSha256, packId } = pack.integrity;
  const found = await manifestOf(pack);
  for (const [index, { path, sha256 }] of found.entries()) {
    const said = manifest[index];
    if (said?.path !== path) {
      faults.push({ member: `integrity.manifest[${index}]`, reason: `names ${said?.path ?? 'nothing'}, not ${path}` });
      break;
    }
    if (said.sha256 !== sha256) faults.push({ member: path, reason: 'differs from its digest in the manifest' });
  }
  if (manifest.length > found.length)
    faults.push({ member: 'integrity.manifest', reason: 'names more members than the pack has' });
  const manifestSha256 = await sha256Hex(canonical(manifest));
  if (manifestSha256 !== packSha256)
    faults.push({ member: 'integrity.packSha256', reason: 'is not the digest of the manifest' });
  if (packId !== uuidV8FromDigest(manifestSha256))
    faults.push({ member: 'integrity.packId', reason: 'is not made of the digest of the manifest' });
  return faults;
}

async function signatureFaults(integrity: Integrity, keys: KeySet | null): Promise<Fault[]> {
  const { signature, ...unsigned } = integrity;
  const fault = (reason: string, member = 'integrity.signature') => [{ member, reason }];
  if (signature === null) {
    if (unsigned.keysUrl !== null) return fault('names keys for a pack without a signature', 'integrity.keysUrl');
    return keys === null ? [] : fault('keys were given, and the pack is not signed');
  }
  const kid = kidOf(signature.value);
  if (kid === null) return fault('not a detached EdDSA JWS in canonical base64url', 'integrity.signature.value');
  if (kid !== signature.kid) return fault(`the signature itself names key ${kid}`, 'integrity.signature.kid');
  if (keys === null) return [];
  switch (await verifyDetached(signature.value, signedText(unsigned), keys)) {
    case 'valid':
      return [];
    case 'unknownKey':
      return fault(`no key ${kid} among the given ones`);
    case 'malformed':
      return fault('not a detached EdDSA JWS in canonical base64url', 'integrity.signature.value');
    case 'invalid':
      return fault('does not belong to this manifest, packId and keysUrl');
  }
}
