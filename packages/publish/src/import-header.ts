/** Header of a message that an import published: the import's id, a slash and the message's number in the import, from 1. */
export const importHeader = 'tenantscope-import';

export function formatImportHeader(importId: string, sequence: number): string {
  return `${importId}/${sequence}`;
}

/** Null for anything else. */
export function parseImportHeader(text: string): { importId: string; sequence: number } | null {
  const [, importId, digits] = pattern.exec(text) ?? [];
  return importId === undefined || digits === undefined ? null : { importId, sequence: Number(digits) };
}

const pattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,14})$/;
