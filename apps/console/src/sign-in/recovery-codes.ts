import { createHash, randomBytes } from 'node:crypto';
import type { NewCredential } from '@tenantscope/store/console';
import { Secret } from 'otpauth';

const recoveryCodeCount = 10;

/** New recovery codes, and the credentials that are stored of them. */
export function createRecoveryCodes(): { codes: readonly string[]; credentials: readonly NewCredential[] } {
  const codes = Array.from({ length: recoveryCodeCount }, createRecoveryCode);
  return {
    codes,
    credentials: codes.map((code) => ({
      kind: 'recovery',
      secret: createHash('sha256').update(code.replaceAll('-', '')).digest('hex'),
    })),
  };
}

/** 160 random bits, in groups that are easy to copy. A digest without salt is stored: ASVS 6.5.2 permits that from 112 bits. */
function createRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;
  return text.match(/.{4}/g)?.join('-') ?? text;
}
