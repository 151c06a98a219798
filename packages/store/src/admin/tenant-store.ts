import type { DatabasePool } from 'slonik';
import { translateErrors } from './database.ts';
import * as directory from './directory.ts';
import * as offboarding from './offboarding.ts';
import { addProviderId, removeProviderId } from './provider-ids.ts';
import { readTenantRetention, setTenantRetention } from './tenant-retention.ts';

/** What an operator does with tenants. */
export function createTenantStore({ control, models }: { control: DatabasePool; models: DatabasePool }) {
  return {
    create: (input: Parameters<typeof directory.createTenant>[1]) =>
      translateErrors(directory.createTenant(control, input)),
    list: (of?: { organizationId?: string }) => translateErrors(directory.listTenants(control, of)),
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
      translateErrors(offboarding.eraseTenant({ control, models }, tenantId, onProgress)),
    readRetention: (tenantId: string) => translateErrors(readTenantRetention(models, tenantId)),
    setRetention: (tenantId: string, days: number | null) =>
      translateErrors(setTenantRetention(models, tenantId, days)),
    addProviderId: (tenantId: string, providerId: string) =>
      translateErrors(addProviderId(control, tenantId, providerId)),
    removeProviderId: (tenantId: string, providerId: string) =>
      translateErrors(removeProviderId(control, tenantId, providerId)),
  };
}
