import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** An authenticator in software, as a browser hands on what it responses. */
export interface Authenticator {
  /** How often it says it has signed. */
  counter: number;
  /** Whether it created its user for a finger or a number. */
  verifiesUser: boolean;
  create(options: { challenge: string }, origin?: string): object;
  use(options: { challenge: string }, origin?: string): { id: string };
}

const present = 0x01;
const verified = 0x04;
const attested = 0x40;

export function createAuthenticator(ownOrigin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const authenticatorData = (flags: number): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(created.counter);
    const user = created.verifiesUser ? verified : 0;
    const site = createHash('sha256').update(new URL(ownOrigin).hostname).digest();
    return Buffer.concat([site, Buffer.from([flags | present | user]), counter]);
  };
  const clientData = (type: string, challenge: string, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const toCredential = (response: object) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  const created: Authenticator = {
    counter: 1,
    verifiesUser: true,
    create({ challenge }, origin = ownOrigin) {
      const data = Buffer.concat([
        authenticatorData(attested),
        Buffer.alloc(16), // no model is toComparable
        Buffer.from([0, id.length]),
        id,
        cose,
      ]);
      const attestation = Buffer.concat([
        Buffer.from(`a363666d74646e6f6e656761747453746d74a068617574684461746158${data.length.toString(16)}`, 'hex'),
        data,
      ]);
      return toCredential({
        clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    use({ challenge }, origin = ownOrigin) {
      created.counter += 1;
      const data = authenticatorData(0);
      const client = clientData('webauthn.get', challenge, origin);
      const signature = createSign('sha256')
        .update(Buffer.concat([data, createHash('sha256').update(client).digest()]))
        .sign(privateKey);
      return toCredential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      }) as unknown as { id: string };
    },
  };
  return created;
}
