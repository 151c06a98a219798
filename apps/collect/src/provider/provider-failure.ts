/**
 * Why a provider's records could not be read. `throttled`: it limits the rate; `unavailable`: it, or the network, fails; `refused`: credentials,
 * permissions or settings are wrong; `unlicensed`: the customer has no licence for the records; `tooLarge`: a response is longer than the limit; `invalid`: its responses violate its protocol.
 */
export const failureKinds = ['throttled', 'unavailable', 'refused', 'unlicensed', 'tooLarge', 'invalid'] as const;
export type FailureKind = (typeof failureKinds)[number];

/** The message can be shown: it contains no secret, and of the provider's text printable characters only. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure';
  readonly kind: FailureKind;
  /** How long the provider requests to wait, unchecked; null where it does not. */
  readonly waitMs: number | null;

  constructor(kind: FailureKind, message: string, waitMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.waitMs = waitMs;
  }
}
