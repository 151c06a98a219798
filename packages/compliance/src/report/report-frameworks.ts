import type { ComplianceStatus, FrameworkStatus } from '@tenantscope/contract';

/** The frameworks of a report: those of its template, else those that the tenant selected, else all. */
export function selectFrameworks(status: ComplianceStatus, keys: readonly string[]): FrameworkStatus[] {
  if (keys.length > 0) return status.frameworks.filter(({ key }) => keys.includes(key));
  const selected = status.frameworks.filter((framework) => framework.selected);
  return selected.length > 0 ? selected : status.frameworks;
}
