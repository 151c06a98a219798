import type { EntityKind } from '@tenantscope/contract';

export interface TenantFacts {
  /** The Microsoft tenant that this tenant is connected to; null while unknown. */
  readonly azureTenantId: string | null;
  /** Its ids at other providers, by which records may name it. */
  readonly providerIds?: readonly string[];
  /** Whether it was closed: its records are dropped. */
  readonly isClosed?: boolean;
  /** The cell that has its rows, where that is another one than the reader's. */
  readonly otherCell?: string;
}

/** An app of a tenant, with the fields that log rows use. */
export interface CachedApp {
  readonly id: string;
  readonly name: string | null;
}

export type AppLookup = (tenantId: string, clientId: string) => CachedApp | undefined;

/** The kinds of entities that act. */
export const principalKinds = ['user', 'agent', 'app'] as const satisfies readonly EntityKind[];
export type PrincipalKind = (typeof principalKinds)[number];

/** What an actor of a record is looked up by. */
export interface PrincipalQuery {
  /** An id or another name, in lower case. */
  readonly alias: string;
  /** In the order of preference: an agent's identity is an app too. */
  readonly kinds: readonly PrincipalKind[];
  /** Whether an account at Google is preferred over others with the same address. */
  readonly prefersGoogle: boolean;
}

/** Finds the id of the user, agent or app that has a name in its tenant; null where none has or several have it. */
export type PrincipalLookup = (tenantId: string, query: PrincipalQuery) => string | null;

/** Everything that reading a message depends on besides the message. */
export interface ReadingContext {
  /** @param tenantId a lower-case GUID */
  readonly findTenant: (tenantId: string) => TenantFacts | undefined;
  /** Finds the tenant that has an id at its provider; `several` where more than one has. Absent: records do not say whose they are. */
  readonly findProviderTenant?: (providerId: string) => string | 'several' | undefined;
  /** Finds the app of a tenant by its client id, in lower case; absent where apps are not used. */
  readonly findApp?: AppLookup;
  /** Absent where actors are not resolved. */
  readonly findPrincipal?: PrincipalLookup;
  readonly nowMs: number;
  readonly maxValueBytes: number;
  /** The one element to take when a dead letter is replayed; null takes all. */
  readonly onlyElement: number | null;
  /** Called with the length of the records of each message, which is up to a thousand times that of a compressed one. */
  readonly countBytes?: (bytes: number) => void;
}
