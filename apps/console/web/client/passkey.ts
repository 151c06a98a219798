import type * as z from 'zod/mini';
import type { passkeyCreationOptions } from '../../api/credentials.ts';
import { offerPasskeySignIn } from '../../api/sign-in.ts';
import { call } from './api-client.ts';

/** Whether this browser supports passkeys, with options as JSON. */
export const supportsPasskeys =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential && isSecureContext;

/** The browser returned no passkey; it gives no details, so that pages cannot learn which passkeys a user has. */
export class PasskeyError extends Error {
  override name = 'PasskeyError';
  /** `registered`: this authenticator already has one of this member. */
  readonly reason: 'cancelled' | 'registered' | 'failed';

  constructor(reason: 'cancelled' | 'registered' | 'failed', cause: unknown) {
    super(`no passkey: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Has the browser sign a new challenge with a passkey. */
export async function getPasskey(): Promise<Record<string, unknown>> {
  const options = await call(offerPasskeySignIn, {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return toJson(navigator.credentials.get({ publicKey }));
}

/** Has the browser create a passkey with the options of the server. */
export async function createPasskey(
  options: z.output<typeof passkeyCreationOptions>,
): Promise<Record<string, unknown>> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return toJson(navigator.credentials.create({ publicKey }));
}

async function toJson(pending: Promise<Credential | null>): Promise<Record<string, unknown>> {
  const credential = await pending.catch((error: unknown) => {
    throw new PasskeyError(errorReason(error), error);
  });
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyError('failed', null);
  return { ...credential.toJSON() };
}

function errorReason(error: unknown): PasskeyError['reason'] {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  return name === 'InvalidStateError' ? 'registered' : 'failed';
}
