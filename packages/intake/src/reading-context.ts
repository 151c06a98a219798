export interface TenantFacts {
  /** The Microsoft tenant that this tenant is connected to; null while it is not known. */
  readonly azureTenantId: string | null;
}

/** All that reading a message depends on besides the message. */
export interface ReadingContext {
  /** @param tenantId a lower-case GUID */
  readonly tenantOf: (tenantId: string) => TenantFacts | undefined;
  readonly nowMs: number;
  readonly maxValueBytes: number;
  /** The one element to take when a dead letter is replayed; null takes all. */
  readonly onlyElement: number | null;
}
