import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Chooser, count, nowMs, type Part, send } from './part.ts';

const { dayMs } = input;
const suite = ['Exchange', 'SharePoint', 'OneDrive', 'MicrosoftTeams', 'AzureActiveDirectory'];
/** The workloads whose activity a product or a service plan lets expect. */
const workloadsOf: Readonly<Record<string, readonly string[]>> = {
  SPE_E5: suite,
  EXCHANGE_S_ENTERPRISE: ['Exchange', 'AzureActiveDirectory'],
  SHAREPOINTENTERPRISE: ['SharePoint', 'OneDrive'],
  TEAMS1: ['MicrosoftTeams'],
  AAD_PREMIUM_P2: ['AzureActiveDirectory'],
  Microsoft_365_Copilot: ['Copilot'],
  YAMMER_ENTERPRISE: [],
};
const plans = Object.keys(workloadsOf);

/** Licenses of the tenant and the workloads in its log. */
export function createWorkloads(choose: Chooser): Part {
  const licenses = choose.several([0, 1, 4], (index) => ({
    id: `license${index}`,
    skuPartNumber: choose.pick(['BUNDLE', 'SPE_E5', 'Microsoft_365_Copilot']),
    consumedUnits: choose.pick([undefined, 0, 3, 3]),
    capabilityStatus: choose.pick([undefined, 'enabled', 'enabled', 'warning', 'suspended']),
    plans: plans.filter(() => choose.happens(20)),
    isDeleted: choose.happens(10),
  }));
  const seen = [...suite, 'Copilot'].flatMap((workload) =>
    choose.several([0, 1, 2], () => ({ workload, ageMs: choose.near(7, 3) })),
  );
  const used = licenses.filter(
    ({ consumedUnits = 0, capabilityStatus, isDeleted }) =>
      !isDeleted && consumedUnits > 0 && capabilityStatus !== 'suspended',
  );
  const expected = [
    ...new Set(used.flatMap((one) => [one.skuPartNumber, ...one.plans].flatMap((plan) => workloadsOf[plan] ?? []))),
  ];
  const isSeen = (name: string) => seen.some(({ workload, ageMs }) => workload === name && ageMs <= 7 * dayMs);
  return {
    sent: [
      ...licenses.flatMap(({ id, plans: names, isDeleted, ...members }) => [
        ...send(
          20 * dayMs,
          input.license(id, {
            ...members,
            servicePlans: names.map((name) => ({ id: name, name, provisioningStatus: 'success' })),
          }),
        ),
        ...(isDeleted ? send(dayMs, input.deletedEntity('license', id)) : []),
      ]),
      ...seen.flatMap(({ workload, ageMs }) =>
        send(ageMs, events.fileEvent('FileAccessed', 'plan', 'anna', nowMs - ageMs, { Workload: workload })),
      ),
    ],
    counts: {
      'ops.logs.workload_coverage': {
        expectedWorkloads: expected.length,
        seenWorkloads: count(expected, isSeen),
        missingWorkloads: count(expected, (name) => !isSeen(name)),
      },
    },
  };
}
