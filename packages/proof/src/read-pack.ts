import { type Json, type JsonObject, member } from './canonical.ts';
import { spokenPath } from './difference.ts';
import { isDigest } from './digest.ts';
import type { Integrity, ManifestEntry, Signature } from './manifest.ts';
import type { Fault } from './verify-pack.ts';

export type Pack = {
  readonly packType: Json;
  readonly version: Json;
  readonly metadata: Json;
  readonly frameworks: Json;
  readonly sections: readonly JsonObject[];
  readonly integrity: Integrity;
};

/**
 * The parts of a pack that the proof speaks of, or what stands in the way. A member that no digest covers would be
 * believed with the rest, so the root, the pack, `integrity` and what is in it have exactly their members.
 */
export function readPack(body: Json): Pack | Fault {
  try {
    const pack = exactly(exactly(body, '', ['data']).data, 'data', packMembers);
    if (pack.packType !== 'tenantscope.agent_evidence_pack') fail('data.packType', 'not an evidence pack');
    const sections = list(pack.sections, 'data.sections').map((section, index) =>
      readSection(section, `data.sections[${index}]`),
    );
    return { ...pack, sections, integrity: readIntegrity(pack.integrity) };
  } catch (error) {
    if (error instanceof Unreadable) return { member: spokenPath(body, error.member), reason: error.reason };
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

class Unreadable extends Error {
  readonly member: string;
  readonly reason: string;

  constructor(member: string, reason: string) {
    super(reason);
    this.member = member;
    this.reason = reason;
  }
}

function fail(at: string, reason: string): never {
  throw new Unreadable(at, reason);
}

function readSection(value: Json, at: string): JsonObject {
  const section = object(value, at);
  if (typeof section.key !== 'string') fail(member(at, 'key'), 'missing');
  const rows = list(section.rows, member(at, 'rows'));
  if (section.rowCount !== rows.length)
    fail(member(at, 'rowCount'), `says another number than its ${rows.length} rows`);
  if (!isDigest(section.sha256)) fail(member(at, 'sha256'), 'not a digest');
  return section;
}

function readIntegrity(value: Json | undefined): Integrity {
  const at = 'data.integrity';
  const { algorithm, canonicalization, keysUrl, manifest, packId, packSha256, signature } = exactly(
    value,
    at,
    integrityMembers,
  );
  if (canonicalization !== 'RFC8785') fail(member(at, 'canonicalization'), 'not RFC8785');
  if (algorithm !== 'SHA-256') fail(member(at, 'algorithm'), 'not SHA-256');
  if (!isDigest(packSha256)) fail(member(at, 'packSha256'), 'not a digest');
  if (typeof packId !== 'string') fail(member(at, 'packId'), 'not a text');
  if (keysUrl !== null && typeof keysUrl !== 'string') fail(member(at, 'keysUrl'), 'neither a text nor null');
  const entries = list(manifest, member(at, 'manifest')).map((entry, index) =>
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
  const { path, sha256 } = exactly(value, at, ['path', 'sha256']);
  if (typeof path !== 'string' || !isDigest(sha256)) fail(at, 'not a path with its digest');
  return { path, sha256 };
}

function readSignature(value: Json): Signature | null {
  if (value === null) return null;
  const at = 'data.integrity.signature';
  const { alg, format, kid, value: jws } = exactly(value, at, ['alg', 'format', 'kid', 'value']);
  if (format !== 'JWS') fail(member(at, 'format'), 'not JWS');
  if (alg !== 'EdDSA') fail(member(at, 'alg'), 'not EdDSA');
  if (typeof kid !== 'string') fail(member(at, 'kid'), 'not a text');
  if (typeof jws !== 'string') fail(member(at, 'value'), 'not a text');
  return { format, alg, kid, value: jws };
}

/** An object with these members, sorted by name, and no others. */
function exactly<Name extends string>(
  value: Json | undefined,
  at: string,
  names: readonly Name[],
): { readonly [name in Name]: Json } {
  const found = object(value, at);
  for (const name of Object.keys(found))
    if (!names.some((known) => known === name)) fail(member(at, name), 'a member that does not belong here');
  for (const name of names) if (!Object.hasOwn(found, name)) fail(member(at, name), 'missing');
  return found as { readonly [name in Name]: Json };
}

function object(value: Json | undefined, at: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(at, 'not an object');
  return value as JsonObject;
}

function list(value: Json | undefined, at: string): readonly Json[] {
  if (!Array.isArray(value)) fail(at, 'not a list');
  return value;
}
