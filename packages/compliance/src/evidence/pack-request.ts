import type { SigningKey } from '@tenantscope/proof';
import type { EvidencePosition } from '@tenantscope/store/compliance';

export const packType = 'tenantscope.agent_evidence_pack';

/** Version of the generator: from the first release on it increases when the same facts would be shown differently (ADR 0029). */
export const packVersion = '1.4.0';

/** The parameters of a pack. */
export interface PackRequest {
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly azureTenantId: string | null;
    readonly connectedAtMs: number | null;
  };
  /** A framework's key; null for all of them. */
  readonly framework: string | null;
  /** Keys of the requested sections; null for all of them. */
  readonly sections: readonly string[] | null;
  /** One section that continues after a row. */
  readonly continued: { readonly section: string; readonly after: EvidencePosition } | null;
  readonly generatedAtMs: number;
  readonly generatedBy: string;
  readonly serviceVersion: string;
  readonly signing: { readonly key: SigningKey; readonly keysUrl: string } | null;
  /** Null: persons are named. */
  readonly pseudonymisation: Pseudonymisation | null;
  /**
   * Creates the cursor that continues a section after this position, with the same window, framework and known-through time.
   */
  sealCursor(section: string, after: EvidencePosition): string;
  /** Reading stops when it aborts. */
  readonly signal?: AbortSignal;
}

/** How persons are replaced. */
export interface Pseudonymisation {
  /** 32 random bytes of this pack; the continuation of a section uses those of its pack. */
  readonly secret: Buffer;
  /** The X25519 key for which the key to the pseudonyms is encrypted; null: the pack has none. */
  readonly recipientKey: string | null;
}
