import { type Requirement, requirementCatalogue } from '@tenantscope/compliance';
import { dayMs } from '@tenantscope/contract';
import { findSimilar } from '@tenantscope/runtime';
import { usageError } from '../../command-error.ts';

const keyMaxLength = 120;

/** The requirement with this key. Another key is a usage error that names similar ones. */
export function findRequirement(text: string): Requirement {
  const key = text.trim().slice(0, keyMaxLength);
  const found = requirementCatalogue.find((one) => one.key === key);
  if (found) return found;
  const keys = requirementCatalogue.map((one) => one.key);
  throw usageError(`there is no requirement ${key}; did you mean: ${findSimilar(key, keys, 3).join(', ')}`);
}

/** Null where an attestation changes no status, so that its validity has no limit. */
export function latestValidUntil(requirement: Requirement, attestedMs: number): number | null {
  return requirement.kind === 'measured' ? null : attestedMs + requirement.attestation.defaultValidityDays * dayMs;
}
