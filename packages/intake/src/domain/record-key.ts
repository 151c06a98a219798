import { asTenantId, parseGuid, type TenantId } from '@tenantscope/contract';

/** The key of a mutable record's messages: `tenantId/<kind>/<id>`, its parts percent-encoded. */
export interface RecordKey {
  readonly tenantId: TenantId;
  readonly kind: string;
  readonly id: string;
}

/** Null for anything else. Characters that need no encoding may be encoded anyway. */
export function parseRecordKey(bytes: Buffer | null): RecordKey | null {
  const [tenant, kind, id, ...more] = bytes === null ? [] : bytes.toString('utf8').split('/').map(decode);
  const tenantId = parseGuid(tenant ?? '');
  if (tenantId === null || !kind || !id || more.length > 0) return null;
  return { tenantId: asTenantId(tenantId), kind, id };
}

export function formatRecordKey(tenantId: string, kind: string, id: string): string {
  return [tenantId, kind, id].map(encodeURIComponent).join('/');
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
