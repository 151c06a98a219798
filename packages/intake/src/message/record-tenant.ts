import { asTenantId, parseGuid, type TenantId } from '@tenantscope/contract';
import { makeVisible, truncateText } from '../field/text.ts';
import { isObject, type Json, toText } from '../json/value.ts';
import type { ReadingContext, TenantFacts } from './reading-context.ts';
import { type Rejection, reject, rejectOtherCell } from './rejection.ts';
import type { SplitRecord } from './split-records.ts';

export interface RecordTenant {
  readonly tenantId: TenantId;
  readonly azureTenantId: string | null;
}

/**
 * Reads whose a record is from its own member, or from that of the object that wraps all records of its message. The member has the id of the tenant at its
 * provider, or the service's own. Without a match the rejection names the value: an operator needs it to connect the tenant.
 */
export function readRecordTenant(
  record: SplitRecord,
  payload: Json,
  path: string,
  context: ReadingContext,
): RecordTenant | Rejection {
  const text = toText(
    readMember(record.content, path) ?? readMember(record.value, path) ?? readMember(payload, path) ?? null,
  );
  if (text === null || text.trim() === '')
    return reject('MISSING_TENANT', `the record has no member ${path} with the id of its tenant`);
  const found = findTenantId(text.trim(), context);
  if (found === 'several')
    return reject('MISSING_TENANT', `member ${path} has ${quote(text)}, the provider id of several tenants`);
  const tenant = found === undefined ? undefined : context.findTenant(found);
  if (found === undefined || tenant === undefined)
    return reject('MISSING_TENANT', `member ${path} has ${quote(text)}, the provider id of no tenant`);
  if (tenant.isClosed) return reject('TENANT_CLOSED', 'the tenant was closed');
  if (tenant.otherCell !== undefined) return rejectOtherCell(tenant.otherCell);
  return { tenantId: asTenantId(found), azureTenantId: tenant.azureTenantId };
}

/** Longer than any id at a provider; a record may have a text of megabytes. */
const longestId = 200;

function findTenantId(text: string, context: ReadingContext): string | 'several' | undefined {
  if (text.length > longestId) return undefined;
  const guid = parseGuid(text);
  if (guid !== null && context.findTenant(guid) !== undefined) return guid;
  return context.findProviderTenant?.(guid ?? text);
}

/** A member by its path: each dot is part of a name or separates two. */
function readMember(value: Json | undefined, path: string): Json | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (!Object.hasOwn(value, name)) continue;
    const found = readMember(value[name], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

const longestValue = 100;
const quote = (text: string): string => JSON.stringify(makeVisible(truncateText(text, longestValue)));

const providerIds = new WeakMap<ReadonlyMap<string, TenantFacts>, Map<string, string | 'several'>>();

/** Finds the tenant that has this id at its provider, by an index that is built once for each state of the tenants. */
export function findProviderTenant(
  tenants: ReadonlyMap<string, TenantFacts>,
  providerId: string,
): string | 'several' | undefined {
  let index = providerIds.get(tenants);
  if (index === undefined) {
    index = new Map();
    for (const [id, { azureTenantId, providerIds = [] }] of tenants) {
      const ids = azureTenantId === null ? providerIds : [azureTenantId, ...providerIds];
      for (const key of new Set(ids.map((one) => one.toLowerCase()))) index.set(key, index.has(key) ? 'several' : id);
    }
    providerIds.set(tenants, index);
  }
  return index.get(providerId.toLowerCase());
}
