import type { Log } from '@tenantscope/runtime';
import type { ConsoleStore } from '@tenantscope/store';
import type { SessionCookie } from './cookie.ts';
import type { PlaygroundKeys } from './playground-keys.ts';

/** What the routes stand on; `startConsole` puts it together. */
export interface Console {
  /** As browsers know it. */
  readonly origin: string;
  /** The api as callers know it, and as this process reaches it. */
  readonly api: { readonly publicUrl: string; readonly url: string };
  readonly demoOrganizationId: string | null;
  readonly hasLocalSignIn: boolean;
  readonly trustedProxies: readonly string[];
  readonly store: ConsoleStore;
  readonly cookie: SessionCookie;
  readonly playgroundKeys: PlaygroundKeys;
  readonly log: Log;
}
