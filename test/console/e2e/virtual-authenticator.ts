import type { Page } from 'playwright-core';

/** An authenticator of the browser, which its user confirms as soon as it asks. */
export interface Device {
  /** Its user is there, or nobody is. */
  attend(isThere: boolean): Promise<void>;
  passkeys(): Promise<number>;
  /** Unplugs it. */
  remove(): Promise<void>;
}

export async function giveDevice(page: Page): Promise<Device> {
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
    attend: async (isThere) =>
      void (await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isThere })),
    passkeys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    remove: async () => void (await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })),
  };
}
