/**
 * The IP address inside a text, in canonical form (RFC 5952 for IPv6, IPv4 inside IPv6 as IPv4), or null. One address, one text to filter by.
 *
 * Providers write `1.2.3.4:443`, `[2001:db8::1]:443`, `HOST (1.2.3.4)`, `[HOST (1.2.3.4)]`, zone ids, IPv4 inside IPv6, and
 * words in place of addresses. A colon separates a port only after a dotted quad or a bracket: several public collectors had
 * the bug of splitting an IPv6 address at a colon.
 */
export function readAddress(text: string): string | null {
  let candidate = text.trim();
  if (quad.test(candidate)) return candidate;
  candidate = bracketed.exec(candidate)?.[1] ?? candidate;
  candidate = (afterHost.exec(candidate)?.[1] ?? candidate).trim();
  candidate = bracketed.exec(candidate)?.[1] ?? candidate;
  candidate = quadWithPort.exec(candidate)?.[1] ?? candidate;
  const zone = candidate.indexOf('%');
  if (zone !== -1) candidate = candidate.slice(0, zone);
  candidate = mapped.exec(candidate)?.[1] ?? candidate;
  return quad.test(candidate) ? candidate : compressAddress(candidate);
}

/** The URL standard serializes IPv6 as RFC 5952 does, apart from IPv4 inside of it. Null if the text is no IPv6 address. */
function compressAddress(text: string): string | null {
  if (!groups.test(text)) return null;
  const host = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? null;
  const [, high, low] = mappedGroups.exec(host ?? '') ?? [];
  if (high === undefined || low === undefined) return host;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

const quad = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** At most 45 characters: eight groups, the last two as a dotted quad. */
const groups = /^(?=.*:.*:)[\da-f:.]{2,45}$/i;
const bracketed = /^\[(.*)\](?::\d{1,5})?$/;
const afterHost = /^[^()]*\(([^()]*)\)$/;
const quadWithPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** Also without the leading colons, as one of Microsoft's own examples has it. */
const mapped = /^(?:::)?ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const mappedGroups = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;
