export interface TenantFacts {
  /** The Microsoft tenant that this tenant is connected to; null while it is not known. */
  readonly azureTenantId: string | null;
}

/** An app of a tenant, as far as log rows name it. */
export interface KnownApp {
  readonly id: string;
  readonly name: string | null;
}

export type AppLookup = (tenantId: string, clientId: string) => KnownApp | undefined;

/** All that reading a message depends on besides the message. */
export interface ReadingContext {
  /** @param tenantId a lower-case GUID */
  readonly tenantOf: (tenantId: string) => TenantFacts | undefined;
  /** The app of a tenant by its client id, in lower case; absent where no apps are looked at. */
  readonly appOf?: AppLookup;
  readonly nowMs: number;
  readonly maxValueBytes: number;
  /** The one element to take when a dead letter is replayed; null takes all. */
  readonly onlyElement: number | null;
}
