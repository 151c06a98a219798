import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs } = input;
const ago = (ms: number) => input.at(nowMs - ms);
const free = [
  input.license('flow', { skuId: 'f30db892-07e9-47e9-837c-80727f46fd3d', skuPartNumber: 'FLOW_FREE' }),
  input.user('maker', {
    accountEnabled: false,
    licenseSkus: ['F30DB892-07E9-47E9-837C-80727F46FD3D', 'POWER_BI_STANDARD'],
  }),
];
/** Licenses of active accounts, plus one license each of accounts disabled for these periods. */
const assigned = (count: number, ...disabledAgo: readonly (number | null)[]) => [
  ...free,
  input.license('SPE_E5', { consumedUnits: count }),
  input.user('anna', { licenseSkus: many(count - 1, (index) => `PRODUCT_${index}`) }),
  input.user('lately', { licenseSkus: ['SPE_E5'], accountEnabled: false, disabledAt: ago(30 * dayMs) }),
  ...disabledAgo.map((ms, index) =>
    input.user(`left${index}`, {
      licenseSkus: ['SPE_E5'],
      accountEnabled: false,
      disabledAt: ms === null ? null : ago(ms),
    }),
  ),
];

/** An account whose time of disabling is not reported: in use, then disabled, then changed while it is disabled. */
const disabledSince = (id: string, disabledAgoMs: number, firstSeenAgoMs: number) => [
  ingestedAt(nowMs - firstSeenAgoMs, input.user(id, { licenseSkus: ['SPE_E5'] })),
  ingestedAt(nowMs - disabledAgoMs, input.user(id, { licenseSkus: ['SPE_E5'], accountEnabled: false })),
  ingestedAt(
    nowMs - 2 * dayMs,
    input.user(id, { licenseSkus: ['SPE_E5'], accountEnabled: false, department: 'Archive' }),
  ),
];

testOutcomes(requirementPrefixes.licenses, {
  'lic.disabled_users': {
    met: [
      { records: assigned(99, 30 * dayMs + 1), counts: { assigned: 100, onDisabled: 1, onDisabledPct: 1 } },
      // A provider that reports no time of disabling: the account was in use until then.
      { records: disabledSince('left', 30 * dayMs, 60 * dayMs), counts: { assigned: 1, onDisabled: 0 } },
    ],
    // An unknown disabling time counts as too long ago.
    at_risk: { records: assigned(19, null), counts: { assigned: 20, onDisabled: 1, onDisabledPct: 5 } },
    not_met: [
      { records: assigned(18, null), counts: { assigned: 19, onDisabled: 1, onDisabledPct: 5.3 } },
      { records: disabledSince('left', 30 * dayMs + 1, 60 * dayMs), counts: { assigned: 1, onDisabled: 1 } },
      // Its parts arrived within a day: it may have been disabled long before.
      { records: disabledSince('left', 29 * dayMs, 30 * dayMs), counts: { assigned: 1, onDisabled: 1 } },
    ],
    empty: { records: [...free, input.user('anna', { licenseSkus: [] })], counts: { assigned: 0, onDisabled: 0 } },
    untold: { records: [input.user('anna')], counts: { assigned: 1 } },
  },
});
