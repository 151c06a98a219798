interface Versioned {
  readonly version: number;
  readonly digest: string;
}

/** Upward by (version, digest), as records are written. */
export function isNewer(left: Versioned, right: Versioned): boolean {
  return left.version > right.version || (left.version === right.version && left.digest > right.digest);
}
