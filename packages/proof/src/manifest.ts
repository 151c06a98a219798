import { canonicalize, type Json, type JsonObject } from './canonical.ts';
import { digestJson, sha256Hex, uuidV8FromDigest } from './digest.ts';
import { signDetached } from './signature.ts';
import type { SigningKey } from './signing-key.ts';

export type ManifestEntry = {
  readonly path: string;
  readonly sha256: string;
};

export type Signature = {
  readonly format: 'JWS';
  readonly alg: 'EdDSA';
  readonly kid: string;
  /** Detached compact JWS over the RFC 8785 bytes of `integrity` without `signature`. */
  readonly value: string;
};

export type Integrity = {
  readonly canonicalization: 'RFC8785';
  readonly algorithm: 'SHA-256';
  readonly manifest: readonly ManifestEntry[];
  readonly packSha256: string;
  readonly packId: string;
  readonly keysUrl: string | null;
  readonly signature: Signature | null;
};

/** Members of a pack that precede the sections in a manifest, in this order. */
export const manifestMembers = ['packType', 'version', 'metadata', 'frameworks'] as const;

/** The digests of a complete pack; a section's own `sha256` is part of it. */
export async function createManifest(
  pack: { readonly [name in (typeof manifestMembers)[number]]: Json } & { readonly sections: readonly JsonObject[] },
): Promise<ManifestEntry[]> {
  const entries: ManifestEntry[] = [];
  for (const path of manifestMembers) entries.push({ path, sha256: await digestJson(pack[path]) });
  for (const section of pack.sections)
    entries.push({ path: `sections.${section.key}`, sha256: await digestJson(section) });
  return entries;
}

/**
 * The integrity block of a pack: its manifest, the manifest's digest, an id derived from the digest, and a signature if
 * there is a key.
 */
export async function createIntegrity(
  manifest: readonly ManifestEntry[],
  signing: { readonly key: SigningKey; readonly keysUrl: string } | null,
): Promise<Integrity> {
  const packSha256 = await sha256Hex(canonicalize(manifest));
  const unsigned = {
    canonicalization: 'RFC8785',
    algorithm: 'SHA-256',
    manifest,
    packSha256,
    packId: uuidV8FromDigest(packSha256),
    // Without a signature no key is needed, and every member must be covered by the digest.
    keysUrl: signing?.keysUrl ?? null,
  } as const;
  if (signing === null) return { ...unsigned, signature: null };
  const value = await signDetached(writeSignedText(unsigned), signing.key);
  return { ...unsigned, signature: { format: 'JWS', alg: 'EdDSA', kid: signing.key.kid, value } };
}

/** The text that a pack's signature covers. */
export const writeSignedText = (unsigned: Omit<Integrity, 'signature'>): string => canonicalize(unsigned);
