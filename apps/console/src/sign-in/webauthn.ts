import { isIP } from 'node:net';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { ConsoleStore, NewPasskey, Passkey } from '@tenantscope/store/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { passkeyCreationOptions } from '../../api/credentials.ts';
import { HttpError } from '../http/http-error.ts';
import { createTransientCookie } from '../http/transient-cookie.ts';
import type { Seal } from '../seal.ts';

/** Challenges to authenticators, and the verification of their responses. The authenticator has to verify its user: it is both factors. */
export interface WebAuthn {
  /** False where the console is reached by an IP address: browsers need a host name, such as localhost. */
  readonly isAvailable: boolean;
  /** What the browser's `credentials.create` takes. */
  offerCreation(
    reply: FastifyReply,
    member: { id: string | null; name: string; existing: readonly Passkey[] },
  ): Promise<z.input<typeof passkeyCreationOptions>>;
  /** The new passkey. Throws INVALID_PARAMETER where it does not sign this browser's challenge. */
  verifyCreation(request: FastifyRequest, reply: FastifyReply, response: unknown): Promise<Omit<NewPasskey, 'name'>>;
  /** What the browser's `credentials.get` takes. */
  offerAuthentication(reply: FastifyReply): Promise<{ challenge: string; [name: string]: unknown }>;
  /** The passkey that signed this browser's challenge, with its new counter; null: none of ours. */
  verifyAuthentication(
    request: FastifyRequest,
    reply: FastifyReply,
    response: unknown,
  ): Promise<{ passkey: Passkey; counter: number } | null>;
}

const challengeMinutes = 5;
/** EdDSA, ES256 and RS256. */
const algorithms = [-8, -7, -257];
const challenge = z.object({ challenge: z.string(), purpose: z.enum(['create', 'authenticate']) });

const text = z.string().max(16_384);
const creation = z.looseObject({
  id: text,
  rawId: text,
  response: z.looseObject({ clientDataJSON: text, attestationObject: text }),
});
const authentication = z.looseObject({
  id: text,
  rawId: text,
  response: z.looseObject({ clientDataJSON: text, authenticatorData: text, signature: text }),
});

export function createWebAuthn(origin: string, seal: Seal, store: ConsoleStore): WebAuthn {
  const { hostname } = new URL(origin);
  const isAvailable = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  const cookie = createTransientCookie(origin, seal, {
    name: 'challenge',
    path: '/console/api',
    minutes: challengeMinutes,
    shape: challenge,
  });
  /** The challenge of this browser, which can be used once. */
  const consumeChallenge = async (
    request: FastifyRequest,
    reply: FastifyReply,
    purpose: z.infer<typeof challenge>['purpose'],
  ): Promise<string | null> => {
    const sent = cookie.read(request);
    cookie.clear(reply);
    return sent?.purpose === purpose && (await store.signIns.consumeChallenge(sent.challenge)) ? sent.challenge : null;
  };

  return {
    isAvailable,

    async offerCreation(reply, { id, name, existing }) {
      requireHostName(isAvailable);
      const options = await generateRegistrationOptions({
        rpName: 'Tenantscope',
        rpID: hostname,
        userName: name,
        ...(id === null ? {} : { userID: new Uint8Array(Buffer.from(id)) }),
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      });
      cookie.write(reply, { challenge: options.challenge, purpose: 'create' });
      return { ...options, rp: { ...options.rp } };
    },

    async verifyCreation(request, reply, response) {
      requireHostName(isAvailable);
      const parsed = creation.safeParse(response);
      const expectedChallenge = await consumeChallenge(request, reply, 'create');
      if (!parsed.success || expectedChallenge === null) throw invalidResponse();
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: parsed.data as unknown as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: hostname,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }).catch((error: unknown) => {
        throw invalidResponse(error);
      });
      if (!verified) throw invalidResponse();
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
    },

    async offerAuthentication(reply) {
      requireHostName(isAvailable);
      const options = await generateAuthenticationOptions({ rpID: hostname, userVerification: 'required' });
      cookie.write(reply, { challenge: options.challenge, purpose: 'authenticate' });
      return { ...options };
    },

    async verifyAuthentication(request, reply, response) {
      requireHostName(isAvailable);
      const parsed = authentication.safeParse(response);
      const expectedChallenge = await consumeChallenge(request, reply, 'authenticate');
      if (!parsed.success || expectedChallenge === null) return null;
      const passkey = await store.credentials.findPasskey(parsed.data.id);
      if (passkey === null) return null;
      const { credentialId, publicKey, counter, transports } = passkey;
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: parsed.data as unknown as AuthenticationResponseJSON,
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
        request.log.info({ err: error }, 'passkey verification failed; sign-in refused');
        return null;
      }
    },
  };
}

const invalidResponse = (cause?: unknown) =>
  new HttpError('INVALID_PARAMETER', 'The passkey does not match the challenge of this browser. Start again.', [], {
    cause,
  });

function requireHostName(isAvailable: boolean): void {
  if (!isAvailable)
    throw new HttpError('CONFLICT', 'Passkeys need a console with a host name; this one is reached by its IP address.');
}
