import { change } from './ask.ts';

/** Whether this browser knows passkeys, and how servers speak of them. */
export const knowsPasskeys =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential && isSecureContext;

/** The browser gave none; it does not tell more, lest pages learn which keys somebody has. */
export class NoPasskey extends Error {
  override name = 'NoPasskey';
  /** `known`: this authenticator holds one of this person already. */
  readonly reason: 'cancelled' | 'known' | 'failed';

  constructor(reason: 'cancelled' | 'known' | 'failed', cause: unknown) {
    super(`no passkey: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Asks the browser for a passkey that answers this challenge. */
export async function askPasskey(): Promise<unknown> {
  const options = await change<PublicKeyCredentialRequestOptionsJSON>('/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return jsonOf(navigator.credentials.get({ publicKey }));
}

/** Asks the browser to make a passkey for what the server offers at this address. */
export async function makePasskey(path: string, body: object = {}): Promise<unknown> {
  const options = await change<PublicKeyCredentialCreationOptionsJSON>(path, body);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return jsonOf(navigator.credentials.create({ publicKey }));
}

async function jsonOf(asked: Promise<Credential | null>): Promise<unknown> {
  const made = await asked.catch((error: unknown) => {
    throw new NoPasskey(reasonOf(error), error);
  });
  if (!(made instanceof PublicKeyCredential)) throw new NoPasskey('failed', null);
  return made.toJSON();
}

function reasonOf(error: unknown): NoPasskey['reason'] {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  return name === 'InvalidStateError' ? 'known' : 'failed';
}
