import { isIP } from 'node:net';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { ConsoleStore, NewPasskey, Passkey } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../refusal.ts';
import type { Seal } from '../seal.ts';
import { shortCookie } from '../short-cookie.ts';

/** Challenges to authenticators and the checking of what they answer. An authenticator has to verify its user: it is both factors. */
export interface Passkeys {
  /** Browsers make none for a bare address: the console needs a host name, such as localhost. */
  readonly arePossible: boolean;
  /** What the browser's `credentials.create` takes. */
  offerCreation(
    reply: FastifyReply,
    person: { id: string | null; name: string; has: readonly Passkey[] },
  ): Promise<object>;
  /** The new key; refused when it does not answer this browser's challenge. */
  created(request: FastifyRequest, reply: FastifyReply, response: unknown): Promise<Omit<NewPasskey, 'name'>>;
  /** What the browser's `credentials.get` takes. */
  offerUse(reply: FastifyReply): Promise<object>;
  /** Whose key signed, and how often it has; null: nobody's. */
  used(
    request: FastifyRequest,
    reply: FastifyReply,
    response: unknown,
  ): Promise<{ passkey: Passkey; counter: number } | null>;
}

const challengeMinutes = 5;
/** EdDSA, ES256 and RS256, which authenticators of today make. */
const algorithms = [-8, -7, -257];
const challenge = z.object({ challenge: z.string(), act: z.enum(['create', 'use']) });

const text = z.string().max(16_384);
const creation = z.looseObject({
  id: text,
  rawId: text,
  response: z.looseObject({ clientDataJSON: text, attestationObject: text }),
});
const use = z.looseObject({
  id: text,
  rawId: text,
  response: z.looseObject({ clientDataJSON: text, authenticatorData: text, signature: text }),
});

export function passkeysOf(origin: string, seal: Seal, store: ConsoleStore): Passkeys {
  const { hostname } = new URL(origin);
  const arePossible = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  const cookie = shortCookie(origin, seal, {
    name: 'challenge',
    path: '/console/api',
    minutes: challengeMinutes,
    shape: challenge,
  });
  const requirePossible = () => {
    if (!arePossible)
      throw new Refusal('CONFLICT', 'Passkeys need a console with a host name; this one is reached by its address.');
  };
  /** The challenge of this browser, which is good once. */
  const spent = async (request: FastifyRequest, reply: FastifyReply, act: 'create' | 'use'): Promise<string | null> => {
    const sent = cookie.read(request);
    cookie.clear(reply);
    return sent?.act === act && (await store.signIns.spendChallenge(sent.challenge)) ? sent.challenge : null;
  };

  return {
    arePossible,

    async offerCreation(reply, { id, name, has }) {
      requirePossible();
      const options = await generateRegistrationOptions({
        rpName: 'Tenantscope',
        rpID: hostname,
        userName: name,
        ...(id === null ? {} : { userID: new Uint8Array(Buffer.from(id)) }),
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: has.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      });
      cookie.write(reply, { challenge: options.challenge, act: 'create' });
      return options;
    },

    async created(request, reply, response) {
      requirePossible();
      const read = creation.safeParse(response);
      const expectedChallenge = await spent(request, reply, 'create');
      if (!read.success || expectedChallenge === null) throw doesNotFit();
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: read.data as unknown as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: hostname,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }).catch((error: unknown) => {
        throw doesNotFit(error);
      });
      if (!verified) throw doesNotFit();
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
    },

    async offerUse(reply) {
      requirePossible();
      const options = await generateAuthenticationOptions({ rpID: hostname, userVerification: 'required' });
      cookie.write(reply, { challenge: options.challenge, act: 'use' });
      return options;
    },

    async used(request, reply, response) {
      requirePossible();
      const read = use.safeParse(response);
      const expectedChallenge = await spent(request, reply, 'use');
      if (!read.success || expectedChallenge === null) return null;
      const passkey = await store.credentials.findPasskey(read.data.id);
      if (passkey === null) return null;
      const { credentialId, publicKey, counter, transports } = passkey;
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: read.data as unknown as AuthenticationResponseJSON,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: hostname,
          requireUserVerification: true,
          credential: {
            id: credentialId,
            publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
            counter,
            transports,
          },
        });
        return verified ? { passkey, counter: authenticationInfo.newCounter } : null;
      } catch (error) {
        request.log.info({ err: error }, 'a passkey was refused');
        return null;
      }
    },
  };
}

const doesNotFit = (cause?: unknown) =>
  new Refusal('INVALID_PARAMETER', 'The passkey does not answer what was asked of it. Begin again.', [], { cause });
