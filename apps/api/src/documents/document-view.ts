import type { ComplianceStatus, EvidencePack } from '@tenantscope/contract';

/** A status with counts, readiness and limitations, and without requirements, articles and single changes. */
export function summarizeStatus<Status extends object>(status: Status): Status {
  const { frameworks, changes } = status as Partial<ComplianceStatus>;
  return {
    ...status,
    requirements: [],
    // Snapshots hold statuses in earlier formats: only what they have is emptied.
    ...(frameworks ? { frameworks: frameworks.map(emptyLists) } : {}),
    ...(changes ? { changes: changes.map(emptyLists) } : {}),
  };
}

/** A pack whose sections have counts, digests and cursors, and no rows. */
export function summarizePack(pack: EvidencePack): EvidencePack {
  return { ...pack, sections: pack.sections.map((section) => ({ ...section, rows: [] })) };
}

function emptyLists<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? [] : value]),
  ) as Row;
}
