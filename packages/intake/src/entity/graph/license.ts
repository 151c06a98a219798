import { toInteger, toList, toObject, toText } from '../../json/value.ts';
import { matchValue, type SourceReader, sourceObject } from '../source-object.ts';

export const graphSubscribedSku: SourceReader = (record) => {
  const units = toObject(record.prepaidUnits);
  const [enabled, consumed] = [toInteger(units.enabled), toInteger(record.consumedUnits)];
  const part = toText(record.skuPartNumber);
  return [
    sourceObject(record, {
      kind: 'license',
      id: toText(record.id),
      names: [toText(record.skuId), part],
      facts: {
        skuId: toText(record.skuId),
        skuPartNumber: part,
        displayName: part?.replaceAll('_', ' ') ?? null,
        appliesTo: matchValue(['user', 'company'], toText(record.appliesTo)),
        capabilityStatus: matchValue(
          ['enabled', 'warning', 'suspended', 'deleted', 'lockedOut'],
          toText(record.capabilityStatus),
        ),
        totalUnits: enabled,
        consumedUnits: consumed,
        // More may be assigned than bought while a subscription expires.
        availableUnits: enabled === null || consumed === null ? null : Math.max(0, enabled - consumed),
        warningUnits: toInteger(units.warning),
        suspendedUnits: toInteger(units.suspended),
        lockedOutUnits: toInteger(units.lockedOut),
        isAiLicense: part && /copilot/i.test(part),
        servicePlans: toList(record.servicePlans).map((plan) => {
          const { servicePlanId, servicePlanName, provisioningStatus } = toObject(plan);
          return {
            id: toText(servicePlanId),
            name: toText(servicePlanName),
            provisioningStatus: toText(provisioningStatus),
          };
        }),
      },
    }),
  ];
};
