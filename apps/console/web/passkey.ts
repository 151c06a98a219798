import { change } from './ask.ts';

/** Asks the browser for a passkey that answers this challenge. */
export async function askPasskey(): Promise<unknown> {
  const options = await change<PublicKeyCredentialRequestOptionsJSON>('/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return jsonOf(await navigator.credentials.get({ publicKey }));
}

/** Asks the browser to make a passkey for what the server offers at this address. */
export async function makePasskey(path: string): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    await change<PublicKeyCredentialCreationOptionsJSON>(path),
  );
  return jsonOf(await navigator.credentials.create({ publicKey }));
}

function jsonOf(made: Credential | null): unknown {
  if (!(made instanceof PublicKeyCredential)) throw new TypeError('the browser gave no passkey');
  return made.toJSON();
}
