import type { Log } from '@tenantscope/runtime';
import type { ConsoleStore } from '@tenantscope/store';
import type { SessionCookie } from './cookie.ts';
import type { PlaygroundKeys } from './playground-keys.ts';
import type { Seal } from './seal.ts';
import type { IdentityProvider } from './sign-in/identity-provider.ts';
import type { Passkeys } from './sign-in/passkeys.ts';
import type { Rounds } from './sign-in/rounds.ts';

/** What the routes stand on; `startConsole` puts it together. */
export interface Console {
  /** As browsers know it. */
  readonly origin: string;
  /** The api as callers know it, and as this process reaches it. */
  readonly api: { readonly publicUrl: string; readonly url: string; readonly answers: () => Promise<boolean> };
  readonly demoOrganizationId: string | null;
  readonly hasLocalSignIn: boolean;
  /** Whose people sign in by single sign-on; null: nobody's. */
  readonly identityProvider: IdentityProvider | null;
  readonly rounds: Rounds;
  readonly passkeys: Passkeys;
  /** Secrets of authenticators, as they are stored. */
  readonly seal: Seal;
  readonly trustedProxies: readonly string[];
  readonly store: ConsoleStore;
  readonly cookie: SessionCookie;
  readonly playgroundKeys: PlaygroundKeys;
  /** Counts a run of a person; too many within a minute are refused, whichever key they would use. */
  readonly paceRun: (personId: string) => void;
  readonly log: Log;
}
