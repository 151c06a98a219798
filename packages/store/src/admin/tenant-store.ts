import type { DatabasePool } from 'slonik';
import type { CellPools } from './cell-pools.ts';
import { translateErrors } from './database.ts';
import * as directory from './directory.ts';
import * as offboarding from './offboarding.ts';
import { addProviderId, removeProviderId } from './provider-ids.ts';
import { listTenantMoves } from './tenant-moves.ts';
import { readTenantRetention, setTenantRetention } from './tenant-retention.ts';

/** What an operator does with tenants. */
export function createTenantStore({ control, cells }: { control: DatabasePool; cells: CellPools }) {
  return {
    create: (input: Parameters<typeof directory.createTenant>[1]) =>
      translateErrors(directory.createTenant(control, input)),
    list: (of?: { organizationId?: string }) => translateErrors(directory.listTenants(control, of)),
    /** Moves to other cells that are under way, or not confirmed. */
    listMoves: () => translateErrors(listTenantMoves(control)),
    find: (either: string) => translateErrors(directory.findTenant(control, either)),
    move: (tenant: directory.Tenant, to: Parameters<typeof directory.moveTenant>[2]) =>
      translateErrors(directory.moveTenant(control, tenant, to)),
    setPlan: (tenantId: string, plan: 'api' | 'none') => translateErrors(directory.setPlan(control, tenantId, plan)),
    rename: (tenantId: string, name: string) => translateErrors(directory.renameTenant(control, tenantId, name)),
    setSuspended: (tenantId: string, isSuspended: boolean) =>
      translateErrors(directory.setSuspended(control, tenantId, isSuspended)),
    close: (tenantId: string) => translateErrors(offboarding.closeTenant(control, tenantId)),
    reopen: (tenantId: string) => translateErrors(offboarding.reopenTenant(control, tenantId)),
    erase: (tenantId: string, onProgress: (rows: number) => void) =>
      translateErrors(offboarding.eraseTenant({ control, cells }, tenantId, onProgress)),
    readRetention: async (tenantId: string) =>
      translateErrors(readTenantRetention(await cells.openOf(tenantId), tenantId)),
    setRetention: async (tenantId: string, days: number | null) =>
      translateErrors(setTenantRetention(await cells.openOf(tenantId), tenantId, days)),
    addProviderId: (tenantId: string, providerId: string) =>
      translateErrors(addProviderId(control, tenantId, providerId)),
    removeProviderId: (tenantId: string, providerId: string) =>
      translateErrors(removeProviderId(control, tenantId, providerId)),
  };
}
