import { guidOf, numberOf } from '../chance.ts';
import type { DemoState } from '../demo-state.ts';
import type { License } from './license-facts.ts';
import { entityState, type Picture } from './picture.ts';
import { reference } from './users.ts';

export function licenseState(picture: Picture, license: License): DemoState {
  const { skuId, partNumber, name, holders, total, services } = license;
  const isRunningOut = partNumber === 'VISIOCLIENT' || partNumber === 'PROJECTPROFESSIONAL';
  const account = guidOf(picture.company.plan.azureTenantId, 'account');
  return entityState(picture, 'license', `${account}_${skuId}`, {
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
    inactiveAssignedCount30d: numberOf(Math.max(1, Math.ceil(holders.length / 4)), skuId, 'idle'),
    servicePlans: services.map((service) => ({
      id: guidOf('service plan', service),
      name: service,
      provisioningStatus: 'success',
    })),
    assignedUsers: holders.map(reference),
  });
}
