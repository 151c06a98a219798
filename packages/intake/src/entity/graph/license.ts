import { integerOf, listOf, objectOf, textOf } from '../../json/value.ts';
import { oneOf, type SourceFormat, sourceObject } from '../source-object.ts';

export const graphSubscribedSku: SourceFormat = (record) => {
  const units = objectOf(record.prepaidUnits);
  const [enabled, consumed] = [integerOf(units.enabled), integerOf(record.consumedUnits)];
  const part = textOf(record.skuPartNumber);
  return [
    sourceObject(record, {
      kind: 'license',
      id: textOf(record.id),
      names: [textOf(record.skuId), part],
      facts: {
        skuId: textOf(record.skuId),
        skuPartNumber: part,
        displayName: part?.replaceAll('_', ' ') ?? null,
        appliesTo: oneOf(['user', 'company'], textOf(record.appliesTo)),
        capabilityStatus: oneOf(
          ['enabled', 'warning', 'suspended', 'deleted', 'lockedOut'],
          textOf(record.capabilityStatus),
        ),
        totalUnits: enabled,
        consumedUnits: consumed,
        // More may be assigned than bought while a subscription runs out.
        availableUnits: enabled === null || consumed === null ? null : Math.max(0, enabled - consumed),
        warningUnits: integerOf(units.warning),
        suspendedUnits: integerOf(units.suspended),
        lockedOutUnits: integerOf(units.lockedOut),
        isAiLicense: part && /copilot/i.test(part),
        servicePlans: listOf(record.servicePlans).map((plan) => {
          const { servicePlanId, servicePlanName, provisioningStatus } = objectOf(plan);
          return {
            id: textOf(servicePlanId),
            name: textOf(servicePlanName),
            provisioningStatus: textOf(provisioningStatus),
          };
        }),
      },
    }),
  ];
};
