import type { DemoState } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createEntityState, type InventorySnapshot } from './inventory-snapshot.ts';
import type { License } from './license-list.ts';
import { toReference } from './users.ts';

export function createLicenseState(snapshot: InventorySnapshot, license: License): DemoState {
  const { skuId, partNumber, name, holders, total, services } = license;
  const isRunningOut = partNumber === 'VISIOCLIENT' || partNumber === 'PROJECTPROFESSIONAL';
  const account = deriveGuid(snapshot.company.plan.azureTenantId, 'account');
  return createEntityState(snapshot, 'license', `${account}_${skuId}`, {
    skuId,
    skuPartNumber: partNumber,
    displayName: name,
    appliesTo: 'user',
    capabilityStatus: isRunningOut ? 'warning' : 'enabled',
    totalUnits: total,
    consumedUnits: holders.length,
    availableUnits: total - holders.length,
    warningUnits: isRunningOut ? 2 : 0,
    suspendedUnits: 0,
    lockedOutUnits: 0,
    isAiLicense: license.isAi,
    inactiveAssignedCount30d: deriveNumber(Math.max(1, Math.ceil(holders.length / 4)), skuId, 'idle'),
    servicePlans: services.map((service) => ({
      id: deriveGuid('service plan', service),
      name: service,
      provisioningStatus: 'success',
    })),
    assignedUsers: holders.map(toReference),
  });
}
