import { type Json, type JsonObject, joinPath } from './canonical.ts';
import { toPackPath } from './difference.ts';
import { isDigest } from './digest.ts';
import type { Fault } from './fault.ts';
import type { Integrity, ManifestEntry, Signature } from './manifest.ts';

export type Pack = {
  readonly packType: Json;
  readonly version: Json;
  readonly metadata: Json;
  readonly frameworks: Json;
  readonly sections: readonly JsonObject[];
  readonly integrity: Integrity;
};

/**
 * The verifiable parts of a pack, or the reason why it cannot be verified. A member that no digest covers would be trusted
 * with the rest, so the root, the pack and `integrity` must have exactly their members.
 */
export function readPack(body: Json): Pack | Fault {
  try {
    const pack = readExactMembers(readExactMembers(body, '', ['data']).data, 'data', packMembers);
    if (pack.packType !== 'tenantscope.agent_evidence_pack') fail('data.packType', 'not an evidence pack');
    const sections = readList(pack.sections, 'data.sections').map((section, index) =>
      readSection(section, `data.sections[${index}]`),
    );
    return { ...pack, sections, integrity: readIntegrity(pack.integrity) };
  } catch (error) {
    if (error instanceof InvalidPackError) return { member: toPackPath(body, error.member), reason: error.reason };
    throw error;
  }
}

const packMembers = ['frameworks', 'integrity', 'metadata', 'packType', 'sections', 'version'] as const;
const integrityMembers = [
  'algorithm',
  'canonicalization',
  'keysUrl',
  'manifest',
  'packId',
  'packSha256',
  'signature',
] as const;

class InvalidPackError extends Error {
  readonly member: string;
  readonly reason: string;

  constructor(member: string, reason: string) {
    super(reason);
    this.member = member;
    this.reason = reason;
  }
}

function fail(at: string, reason: string): never {
  throw new InvalidPackError(at, reason);
}

function readSection(value: Json, at: string): JsonObject {
  const section = readObject(value, at);
  if (typeof section.key !== 'string') fail(joinPath(at, 'key'), 'missing');
  const rows = readList(section.rows, joinPath(at, 'rows'));
  if (section.rowCount !== rows.length)
    fail(
      joinPath(at, 'rowCount'),
      `differs from the number of its rows, ${rows.length}${rows.length === 0 ? '; a summary cannot be verified, request the pack without view=summary' : ''}`,
    );
  if (!isDigest(section.sha256)) fail(joinPath(at, 'sha256'), 'not a digest');
  return section;
}

function readIntegrity(value: Json | undefined): Integrity {
  const at = 'data.integrity';
  const { algorithm, canonicalization, keysUrl, manifest, packId, packSha256, signature } = readExactMembers(
    value,
    at,
    integrityMembers,
  );
  if (canonicalization !== 'RFC8785') fail(joinPath(at, 'canonicalization'), 'not RFC8785');
  if (algorithm !== 'SHA-256') fail(joinPath(at, 'algorithm'), 'not SHA-256');
  if (!isDigest(packSha256)) fail(joinPath(at, 'packSha256'), 'not a digest');
  if (typeof packId !== 'string') fail(joinPath(at, 'packId'), 'not a string');
  if (keysUrl !== null && typeof keysUrl !== 'string') fail(joinPath(at, 'keysUrl'), 'neither a string nor null');
  const entries = readList(manifest, joinPath(at, 'manifest')).map((entry, index) =>
    readEntry(entry, `${at}.manifest[${index}]`),
  );
  return {
    canonicalization,
    algorithm,
    manifest: entries,
    packSha256,
    packId,
    keysUrl,
    signature: readSignature(signature),
  };
}

function readEntry(value: Json, at: string): ManifestEntry {
  const { path, sha256 } = readExactMembers(value, at, ['path', 'sha256']);
  if (typeof path !== 'string' || !isDigest(sha256)) fail(at, 'not a path with its digest');
  return { path, sha256 };
}

function readSignature(value: Json): Signature | null {
  if (value === null) return null;
  const at = 'data.integrity.signature';
  const { alg, format, kid, value: jws } = readExactMembers(value, at, ['alg', 'format', 'kid', 'value']);
  if (format !== 'JWS') fail(joinPath(at, 'format'), 'not JWS');
  if (alg !== 'EdDSA') fail(joinPath(at, 'alg'), 'not EdDSA');
  if (typeof kid !== 'string') fail(joinPath(at, 'kid'), 'not a string');
  if (typeof jws !== 'string') fail(joinPath(at, 'value'), 'not a string');
  return { format, alg, kid, value: jws };
}

/** An object with exactly these members. */
function readExactMembers<Name extends string>(
  value: Json | undefined,
  at: string,
  names: readonly Name[],
): { readonly [name in Name]: Json } {
  const found = readObject(value, at);
  for (const name of Object.keys(found))
    if (!names.some((allowed) => allowed === name)) fail(joinPath(at, name), 'an unexpected member');
  for (const name of names) if (!Object.hasOwn(found, name)) fail(joinPath(at, name), 'missing');
  return found as { readonly [name in Name]: Json };
}

function readObject(value: Json | undefined, at: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(at, 'not an object');
  return value as JsonObject;
}

function readList(value: Json | undefined, at: string): readonly Json[] {
  if (!Array.isArray(value)) fail(at, 'not a list');
  return value;
}
