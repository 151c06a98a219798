import { usageError } from '../../command-error.ts';

/** An address, then its SHA-256 and its title where there are any. */
export function parseReference(text: string): { uri: string; sha256: string | null; title: string | null } {
  const [uri = '', ...rest] = text.trim().split(/\s+/);
  if (!/^[a-z][a-z0-9+.-]*:\S/i.test(uri))
    throw usageError('--evidence must begin with an address, for example https://dms.example/minutes-7');
  const hasDigest = /^[0-9a-f]{64}$/i.test(rest[0] ?? '');
  const title = rest.slice(hasDigest ? 1 : 0).join(' ');
  return { uri, sha256: hasDigest ? (rest[0]?.toLowerCase() ?? null) : null, title: title || null };
}
