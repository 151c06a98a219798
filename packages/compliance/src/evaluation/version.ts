interface Versioned {
  readonly version: number;
  readonly digest: string;
}

/** Ordered by (version, digest), as records are stored. */
export function isNewer(left: Versioned, right: Versioned): boolean {
  return left.version > right.version || (left.version === right.version && left.digest > right.digest);
}
