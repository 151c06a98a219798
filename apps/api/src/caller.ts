import {
  ApiError,
  asTenantId,
  expandScopes,
  type Operation,
  type Scope,
  type Tenant,
  type TenantId,
} from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store';

/** A recognised key with the tenant it reads in this request. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  /** As the key carries them. */
  readonly scopeWords: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
  readonly organizationWide: boolean;
  readonly tenant: SelectedTenant | null;
  /** Every tenant the key may read; null unless the operation lists them. */
  readonly tenants: readonly Tenant[] | null;
  /** Aborts when the caller goes before the answer: for what runs long. */
  hangUp(): AbortSignal;
}

export interface SelectedTenant {
  readonly id: TenantId;
  readonly name: string;
  /** The plan gate: whether the tenant's plan includes the API. */
  readonly apiAccess: boolean;
  /** In the upstream identity platform. */
  readonly azureTenantId: string | null;
  /** Epoch ms since when its records arrive. */
  readonly connectedAtMs: number;
}

/**
 * Chooses the tenant. Outside the organization, unknown and no id at all answer alike, so ids cannot be probed.
 * Throws TENANT_REQUIRED or TENANT_NOT_IN_ORGANIZATION.
 */
export function selectTenant(
  operation: Operation,
  key: KeyRecord,
  selector: string | null,
  hangUp: () => AbortSignal,
): Caller {
  const tenant = chosenTenant(key, selector);
  if (tenant === undefined) throw notInOrganization();
  if (selector === null && key.organizationWide && operation.tenant === 'required')
    throw new ApiError(
      'TENANT_REQUIRED',
      'This key reads several tenants: name one with the header X-Tenant-Id, for example one listed by the operation list_tenants.',
    );
  return {
    keyId: key.keyId,
    name: key.name,
    scopeWords: key.scopes,
    scopes: expandScopes(key.scopes),
    organizationWide: key.organizationWide,
    tenant,
    tenants: key.tenants,
    hangUp,
  };
}

/** Null: an organization-wide key that selects none. Undefined: the selector names none that the key may read. */
export function chosenTenant(key: KeyRecord, selector: string | null): SelectedTenant | null | undefined {
  const { selected } = key;
  const chosen = key.organizationWide ? selected !== null : key.selectorMatches === true;
  if (selector !== null && !chosen) return undefined;
  return selected && { ...selected, id: asTenantId(selected.id) };
}

/** A data request has a tenant: `selectTenant` saw to it. */
export function tenantOf(caller: Caller): SelectedTenant {
  if (!caller.tenant) throw new TypeError('a data request has a tenant');
  return caller.tenant;
}

export const tenantIdOf = (caller: Caller): TenantId => tenantOf(caller).id;

function notInOrganization(): ApiError {
  return new ApiError(
    'TENANT_NOT_IN_ORGANIZATION',
    'X-Tenant-Id names no tenant this key may read. Take an id from the operation list_tenants.',
  );
}
