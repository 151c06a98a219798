import { canonicalize, type Json, NotCanonicalError } from './canonical.ts';
import { findDifference, toPackPath } from './difference.ts';
import { digestJson, sha256Hex, uuidV8FromDigest } from './digest.ts';
import type { Fault } from './fault.ts';
import type { KeySet } from './jwks.ts';
import { createManifest, type Integrity, writeSignedText } from './manifest.ts';
import { type Pack, readPack } from './read-pack.ts';
import { readKid, verifyDetached } from './signature.ts';

export type PackVerdict =
  | {
      readonly sound: true;
      /** `unchecked`: the pack is signed but no keys were given, so its origin is not verified. */
      readonly signature: 'valid' | 'unchecked' | 'absent';
      readonly kid: string | null;
      readonly packId: string;
      readonly packSha256: string;
    }
  | { readonly sound: false; readonly faults: readonly Fault[] };

/**
 * Verifies the raw response body of an evidence pack byte for byte: `{"data":pack}` as RFC 8785 text. Any other
 * serialization of the same values is rejected (duplicate names, white space, another order of members), so that every byte
 * is covered. With keys, a pack that is not signed by one of them is not sound.
 */
export async function verifyPack(bytes: Uint8Array, keys: KeySet | null): Promise<PackVerdict> {
  const read = parseBody(bytes);
  if ('member' in read) return { sound: false, faults: [read] };
  const pack = readPack(read.body);
  if ('member' in pack) return { sound: false, faults: [pack] };
  const { integrity } = pack;
  const faults = [...(await checkDigests(pack)), ...(await checkSignature(integrity, keys))];
  if (faults.length > 0) return { sound: false, faults };
  const { packId, packSha256, signature } = integrity;
  const checked = signature === null ? 'absent' : keys === null ? 'unchecked' : 'valid';
  return { sound: true, signature: checked, kid: signature?.kid ?? null, packId, packSha256 };
}

function parseBody(bytes: Uint8Array): { readonly body: Json } | Fault {
  let text: string;
  let body: Json;
  try {
    // A byte order mark is not part of the response.
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
    const sent = canonicalize(body);
    if (sent === text) return { body };
    return findDifference(body, sent, text);
  } catch (error) {
    if (error instanceof NotCanonicalError) return { member: toPackPath(body, error.path), reason: error.reason };
    throw error;
  }
}

async function checkDigests(pack: Pack): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, section] of pack.sections.entries()) {
    const rows = section.rows ?? [];
    const member = `sections.${String(section.key ?? index)}.rows`;
    if ((await digestJson(rows)) !== section.sha256)
      faults.push({ member, reason: "differs from the section's own sha256" });
  }
  const { manifest, packSha256, packId } = pack.integrity;
  const found = await createManifest(pack);
  for (const [index, { path, sha256 }] of found.entries()) {
    const listed = manifest[index];
    if (listed?.path !== path) {
      faults.push({
        member: `integrity.manifest[${index}]`,
        reason: `lists ${listed?.path ?? 'nothing'}, not ${path}`,
      });
      break;
    }
    if (listed.sha256 !== sha256) faults.push({ member: path, reason: 'differs from its digest in the manifest' });
  }
  if (manifest.length > found.length)
    faults.push({ member: 'integrity.manifest', reason: 'lists more members than the pack has' });
  const manifestSha256 = await sha256Hex(canonicalize(manifest));
  if (manifestSha256 !== packSha256)
    faults.push({ member: 'integrity.packSha256', reason: 'is not the digest of the manifest' });
  if (packId !== uuidV8FromDigest(manifestSha256))
    faults.push({ member: 'integrity.packId', reason: 'is not derived from the digest of the manifest' });
  return faults;
}

async function checkSignature(integrity: Integrity, keys: KeySet | null): Promise<Fault[]> {
  const { signature, ...unsigned } = integrity;
  const fault = (reason: string, member = 'integrity.signature') => [{ member, reason }];
  if (signature === null) {
    if (unsigned.keysUrl !== null) return fault('names keys for a pack without a signature', 'integrity.keysUrl');
    return keys === null ? [] : fault('keys were given, but the pack is not signed');
  }
  const kid = readKid(signature.value);
  if (kid === null) return fault('not a detached EdDSA JWS in canonical base64url', 'integrity.signature.value');
  if (kid !== signature.kid) return fault(`the signature itself names key ${kid}`, 'integrity.signature.kid');
  if (keys === null) return [];
  switch (await verifyDetached(signature.value, writeSignedText(unsigned), keys)) {
    case 'valid':
      return [];
    case 'unknownKey':
      return fault(`no key ${kid} among the given ones`);
    case 'malformed':
      return fault('not a detached EdDSA JWS in canonical base64url', 'integrity.signature.value');
    case 'invalid':
      return fault('is not a signature of this manifest, packId and keysUrl');
  }
}
