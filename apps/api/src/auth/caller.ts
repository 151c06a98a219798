import {
  ApiError,
  asTenantId,
  expandScopes,
  type Operation,
  type Scope,
  type Tenant,
  type TenantId,
} from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store/api-key';
import type { SlotOwner } from '../throttling/group-counter.ts';

/** An authenticated key and the tenant that this request reads. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  /** The scopes as stored with the key, before expansion. */
  readonly grantedScopes: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
  readonly organizationWide: boolean;
  readonly tenant: SelectedTenant | null;
  /** Every tenant the key may read; null unless the operation lists them. */
  readonly tenants: readonly Tenant[] | null;
  /** The request goes on waiting if this page is empty: the reason is not looked up. */
  readonly goesOnWaiting: boolean;
  /** A signal for long-running work: aborts when the client disconnects before the response. */
  disconnectSignal(): AbortSignal;
}

export interface SelectedTenant {
  readonly id: TenantId;
  /** Null: the tenant has no organization. */
  readonly organizationId: string | null;
  readonly name: string;
  /** The plan gate: whether the tenant's plan includes the API. */
  readonly apiAccess: boolean;
  /** An operator suspended it: no key reads its data. */
  readonly suspended: boolean;
  /** In the upstream identity platform. */
  readonly azureTenantId: string | null;
  /** Epoch ms since when its records arrive. */
  readonly connectedAtMs: number;
  /** Whose database has its rows. */
  readonly cell: string;
}

/**
 * The caller of a request, with the tenant that it selects. A tenant outside the organization, an unknown one and a malformed id give the same error, so ids cannot be
 * probed. Throws TENANT_REQUIRED or TENANT_NOT_IN_ORGANIZATION.
 */
export function identifyCaller(
  operation: Operation,
  key: KeyRecord,
  selector: string | null,
  disconnectSignal: () => AbortSignal,
): Caller {
  const tenant = resolveTenant(key, selector);
  if (tenant === undefined) throw notInOrganization();
  if (selector === null && key.organizationWide && operation.tenant === 'required')
    throw new ApiError(
      'TENANT_REQUIRED',
      'This key can read several tenants. Name one in the X-Tenant-Id header; list_tenants returns their ids.',
    );
  return {
    keyId: key.keyId,
    name: key.name,
    grantedScopes: key.scopes,
    scopes: expandScopes(key.scopes),
    organizationWide: key.organizationWide,
    tenant,
    tenants: key.tenants,
    goesOnWaiting: false,
    disconnectSignal,
  };
}

/** Null: an organization-wide key without a selector. Undefined: the selector names no tenant that the key may read. */
export function resolveTenant(key: KeyRecord, selector: string | null): SelectedTenant | null | undefined {
  const { selected } = key;
  const chosen = key.organizationWide ? selected !== null : key.selectorMatches === true;
  if (selector !== null && !chosen) return undefined;
  return selected && { ...selected, id: asTenantId(selected.id) };
}

/** The tenant of a data request; `identifyCaller` guarantees one. */
export function requireTenant(caller: Caller): SelectedTenant {
  if (!caller.tenant) throw new TypeError('a data request has a tenant');
  return caller.tenant;
}

export const requireTenantId = (caller: Caller): TenantId => requireTenant(caller).id;

/** Whose concurrency limits a data request counts against. */
export function requireSlotOwner(caller: Caller): SlotOwner {
  const { id, organizationId } = requireTenant(caller);
  return { keyId: caller.keyId, tenantId: id, organizationId };
}

function notInOrganization(): ApiError {
  return new ApiError(
    'TENANT_NOT_IN_ORGANIZATION',
    'X-Tenant-Id does not name a tenant that this key can read. Use an id that list_tenants returns.',
  );
}
