const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 random bits as 32 base32 characters, as authenticators expect. Created in the browser, so that it is sent with the password only. */
export function createTotpSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: 32 }, (_, index) =>
    alphabet.charAt(Number.parseInt(bits.slice(index * 5, index * 5 + 5), 2)),
  ).join('');
}

export function totpLink(secret: string, name: string): string {
  const label = encodeURIComponent(`Tenantscope:${name}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Tenantscope&algorithm=SHA1&digits=6&period=30`;
}
