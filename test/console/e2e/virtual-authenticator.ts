import type { Page } from 'playwright-core';

/** A virtual authenticator of the browser, which confirms every request at once while its user is present. */
export interface VirtualAuthenticator {
  /** Sets whether its user is present. */
  setUserPresent(isPresent: boolean): Promise<void>;
  countPasskeys(): Promise<number>;
  /** Removes the authenticator from the browser. */
  remove(): Promise<void>;
}

export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setUserPresent: async (isPresent) =>
      void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isPresent })),
    countPasskeys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    remove: async () => void (await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })),
  };
}
