import type { Log } from '@tenantscope/runtime';
import type { ConsoleStore } from '@tenantscope/store/console';
import type { ConsoleMetrics } from './console-metrics.ts';
import type { SessionCookie } from './http/session-cookie.ts';
import type { PlaygroundKeys } from './playground/playground-keys.ts';
import type { Seal } from './seal.ts';
import type { IdentityProvider } from './sign-in/identity-provider.ts';
import type { OidcState } from './sign-in/oidc-state.ts';
import type { RecognizedDevice } from './sign-in/recognized-device.ts';
import type { WebAuthn } from './sign-in/webauthn.ts';

/** The dependencies of the handlers; `startConsole` creates them. */
export interface Console {
  /** The origin that browsers use. */
  readonly origin: string;
  /** The API as its clients reach it, and as this process does. */
  readonly api: { readonly publicUrl: string; readonly url: string; readonly isResponding: () => Promise<boolean> };
  readonly demoOrganizationId: string | null;
  readonly hasLocalSignIn: boolean;
  /** Null: no single sign-on. */
  readonly identityProvider: IdentityProvider | null;
  readonly oidcState: OidcState;
  readonly webAuthn: WebAuthn;
  readonly recognizedDevice: RecognizedDevice;
  /** Encrypts the stored secrets of authenticators. */
  readonly seal: Seal;
  readonly trustedProxies: readonly string[];
  readonly store: ConsoleStore;
  readonly cookie: SessionCookie;
  readonly playgroundKeys: PlaygroundKeys;
  /** Counts a playground run of a member. Throws RATE_LIMITED after too many within a minute, whichever key they use. */
  readonly limitRuns: (memberId: string) => void;
  readonly metrics: ConsoleMetrics;
  readonly log: Log;
}
