import { buildCompanyState, type CompanyState } from './demo-records.ts';
import type { DemoState } from './demo-state.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { createActionStates } from './feeds/action.ts';
import { chooseAction, chooseSteps } from './feeds/actions.ts';
import { createDetectionState } from './feeds/episode.ts';
import { chooseEpisode } from './feeds/episodes.ts';
import { chooseNotification } from './feeds/notifications.ts';
import { createScanStates, deriveScanId } from './feeds/policy-scans.ts';
import { createAlertStates } from './feeds/vendor-alert.ts';
import { chooseAlert } from './feeds/vendor-alerts.ts';
import { createAgentState } from './inventory/agents.ts';
import { createDeviceState } from './inventory/devices.ts';
import { createFileState } from './inventory/files.ts';
import { createUserState } from './inventory/users.ts';
import { policies } from './policies.ts';
import { createRandom, type Random } from './random.ts';

interface StreamOptions {
  readonly tenant: DemoTenant;
  /** When the history published before ended: the stream refers to its records. */
  readonly historyMs: number;
  readonly startMs: number;
  readonly seed?: string;
}

/**
 * An endless stream of record changes from `startMs`, in order of time: about every `everyMs` a detection, an alert, an action, a scan or an entity
 * change starts and evolves over some minutes. Another start time gives another stream.
 */
export function* demoRecordStream(past: StreamOptions & { everyMs?: number }): Generator<DemoState, never> {
  const { everyMs = 30_000 } = past;
  const random = createStreamRandom(past, 'changes');
  const companyState = buildCompanyState(historyOptions(past));
  const coming: DemoState[] = [];
  for (let beginsMs = past.startMs; ; ) {
    beginsMs += Math.ceil(-Math.log(1 - random.next()) * everyMs);
    coming.push(...createChange(companyState, random, beginsMs));
    coming.sort((one, other) => one.changedAtMs - other.changedAtMs);
    const left = coming.findIndex(({ changedAtMs }) => changedAtMs > beginsMs);
    yield* coming.splice(0, left === -1 ? coming.length : left);
  }
}

/** Notification decisions about open records of the history, about every `everyMs`. */
export function* demoNotificationStream(past: StreamOptions & { everyMs?: number }): Generator<DemoState, never> {
  const { everyMs = 20_000 } = past;
  const random = createStreamRandom(past, 'notifications');
  const companyState = buildCompanyState(historyOptions(past));
  for (let atMs = past.startMs; ; ) {
    atMs += Math.ceil(-Math.log(1 - random.next()) * everyMs);
    yield chooseNotification(companyState.company, random, companyState, atMs);
  }
}

function createStreamRandom({ tenant, startMs, seed = 'tenantscope' }: StreamOptions, what: string): Random {
  return createRandom(`${seed}/${tenant.azureTenantId}/${what}/${startMs}`);
}

function historyOptions({ tenant, historyMs, seed = 'tenantscope' }: StreamOptions) {
  return { tenant, endMs: historyMs, seed };
}

/** A change that starts now, with all its later states. */
function createChange(companyState: CompanyState, random: Random, atMs: number): DemoState[] {
  const { company } = companyState;
  switch (random.pick(['detection', 'alert', 'action', 'scan', 'entity'] as const)) {
    case 'detection':
      return createDetection(companyState, random, atMs);
    case 'alert':
      return createAlertStates(company, { ...chooseAlert(company, random, atMs), changedMs: atMs + 4 * minuteMs });
    case 'action':
      return createActionStates(company, chooseAction(company, random, atMs, chooseSteps(random)));
    case 'scan': {
      const policy = random.pick(policies);
      const scan = {
        id: deriveScanId(company, policy, atMs),
        policy,
        scannedMs: atMs,
        resources: random.between(1, 6),
        isBeforeLedger: false,
      };
      return createScanStates(company, { ...scan, status: 'resolved', resolvedMs: atMs + 6 * minuteMs });
    }
    case 'entity':
      return [{ ...changeEntity({ ...companyState, atMs }, random), changedAtMs: atMs }];
  }
}

/** A detection that opens, grows for some minutes and resolves. */
function createDetection({ company }: CompanyState, random: Random, atMs: number): DemoState[] {
  const opened = chooseEpisode(company, random, atMs - 3_600_000);
  const { peakCurrent, baseline } = opened;
  const growing = [1, 2, 3].map((part) => Math.ceil(baseline + ((peakCurrent - baseline) * part) / 3));
  const open = growing.map((current, index) => {
    const lastSeenMs = atMs + index * 2 * minuteMs;
    return createDetectionState({ ...opened, current, peakCurrent: current, lastSeenMs }, lastSeenMs);
  });
  const lastSeenMs = atMs + 4 * minuteMs;
  const resolvedMs = atMs + 8 * minuteMs;
  return [
    ...open,
    createDetectionState({ ...opened, current: Math.floor(baseline), lastSeenMs, resolvedMs }, resolvedMs),
  ];
}

function changeEntity(companyState: CompanyState, random: Random): DemoState {
  const { company } = companyState;
  const person = random.pick(company.employees);
  switch (random.pick(['user', 'user', 'device', 'file', 'agent'] as const)) {
    case 'user':
      return createUserState(companyState, person);
    case 'device':
      return createDeviceState(companyState, random.pick(person.devices), person);
    case 'file':
      return createFileState(companyState, random.pick(company.files));
    case 'agent':
      return createAgentState(companyState, random.pick(company.agents));
  }
}

const minuteMs = 60_000;
