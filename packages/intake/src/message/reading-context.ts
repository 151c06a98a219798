export interface TenantFacts {
  /** The Microsoft tenant that this tenant is connected to; null while unknown. */
  readonly azureTenantId: string | null;
}

/** An app of a tenant, with the fields that log rows use. */
export interface CachedApp {
  readonly id: string;
  readonly name: string | null;
}

export type AppLookup = (tenantId: string, clientId: string) => CachedApp | undefined;

/** Everything that reading a message depends on besides the message. */
export interface ReadingContext {
  /** @param tenantId a lower-case GUID */
  readonly findTenant: (tenantId: string) => TenantFacts | undefined;
  /** Finds the app of a tenant by its client id, in lower case; absent where apps are not used. */
  readonly findApp?: AppLookup;
  readonly nowMs: number;
  readonly maxValueBytes: number;
  /** The one element to take when a dead letter is replayed; null takes all. */
  readonly onlyElement: number | null;
}
