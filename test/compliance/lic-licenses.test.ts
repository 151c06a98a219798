import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs } = said;
const ago = (ms: number) => said.at(nowMs - ms);
const free = [
  said.license('flow', { skuId: 'f30db892-07e9-47e9-837c-80727f46fd3d', skuPartNumber: 'FLOW_FREE' }),
  said.user('maker', {
    accountEnabled: false,
    licenseSkus: ['F30DB892-07E9-47E9-837C-80727F46FD3D', 'POWER_BI_STANDARD'],
  }),
];
/** So many licences held by accounts in use, and beside them one each by accounts disabled so long ago. */
const held = (count: number, ...disabledAgo: readonly (number | null)[]) => [
  ...free,
  said.license('SPE_E5', { consumedUnits: count }),
  said.user('anna', { licenseSkus: many(count - 1, (index) => `PRODUCT_${index}`) }),
  said.user('lately', { licenseSkus: ['SPE_E5'], accountEnabled: false, disabledAt: ago(30 * dayMs) }),
  ...disabledAgo.map((ms, index) =>
    said.user(`left${index}`, {
      licenseSkus: ['SPE_E5'],
      accountEnabled: false,
      disabledAt: ms === null ? null : ago(ms),
    }),
  ),
];

testOutcomes(prefixesOf.licenses, {
  'lic.disabled_users': {
    met: { told: held(99, 30 * dayMs + 1), counts: { assigned: 100, onDisabled: 1, onDisabledPct: 1 } },
    // Disabled since nobody knows when is disabled too long.
    at_risk: { told: held(19, null), counts: { assigned: 20, onDisabled: 1, onDisabledPct: 5 } },
    not_met: { told: held(18, null), counts: { assigned: 19, onDisabled: 1, onDisabledPct: 5.3 } },
    empty: { told: [...free, said.user('anna', { licenseSkus: [] })], counts: { assigned: 0, onDisabled: 0 } },
    untold: { told: [said.user('anna')], counts: { assigned: null } },
  },
});
