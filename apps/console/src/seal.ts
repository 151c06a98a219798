import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps texts so that only this installation can read or forge them: AES-256-GCM under a key of its own for each purpose. */
export interface Seal {
  /** `context` names what the text belongs to; it opens nowhere else. */
  close(text: string, context: string): string;
  /** Null: not sealed by us, not for this context, or changed since. */
  open(sealed: string, context: string): string | null;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function createSeal(purpose: 'authenticators' | 'cookies', secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `tenantscope console: ${purpose}`, 32));
  return {
    close(text, context) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return Buffer.concat([nonce, body, sealing.getAuthTag()]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < nonceBytes + tagBytes) return null;
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(-tagBytes));
        return Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}
