import type { NormalizerName } from './normalizers.ts';

/** Which members of ours have the value of a path of the Elastic Common Schema: each expected value is in one of them. */
export interface FieldMapping {
  readonly members: readonly string[];
  /** `exact` without. */
  readonly normalizer?: NormalizerName;
}

/** By path; null where nothing in ours corresponds to a path that other formats' tables have. */
export type FieldMappings = Readonly<Record<string, FieldMapping | null>>;
