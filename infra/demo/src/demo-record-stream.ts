import { type Chance, chanceFrom } from './chance.ts';
import { type Setting, settingOf } from './demo-records.ts';
import type { DemoState } from './demo-state.ts';
import type { DemoTenant } from './demo-tenants.ts';
import { agentState } from './estate/agents.ts';
import { deviceState } from './estate/devices.ts';
import { fileState } from './estate/files.ts';
import { userState } from './estate/users.ts';
import { actionStates } from './feeds/action.ts';
import { anyAction, anyLife } from './feeds/actions.ts';
import { detectionState } from './feeds/episode.ts';
import { anyEpisode } from './feeds/episodes.ts';
import { anyNotification } from './feeds/notifications.ts';
import { scanId, scanStates } from './feeds/policy-scans.ts';
import { alertStates } from './feeds/vendor-alert.ts';
import { anyAlert } from './feeds/vendor-alerts.ts';
import { policies } from './policies.ts';

interface Past {
  readonly tenant: DemoTenant;
  /** When the history ended that was published before: what goes on speaks of what was there. */
  readonly historyMs: number;
  readonly startMs: number;
  readonly seed?: string;
}

/**
 * What changes at a company from `startMs` on, without end, in the order of its times: about every `everyMs` something begins (a detection, an
 * alert, an action, a scan, a change of an entity) and takes its course over some minutes. Another start is another run.
 */
export function* demoRecordStream(past: Past & { everyMs?: number }): Generator<DemoState, never> {
  const { everyMs = 30_000 } = past;
  const chance = chanceOf(past, 'changes');
  const setting = settingOf(settingFor(past));
  const coming: DemoState[] = [];
  for (let beginsMs = past.startMs; ; ) {
    beginsMs += Math.ceil(-Math.log(1 - chance.next()) * everyMs);
    coming.push(...courseFrom(setting, chance, beginsMs));
    coming.sort((one, other) => one.changedAtMs - other.changedAtMs);
    const left = coming.findIndex(({ changedAtMs }) => changedAtMs > beginsMs);
    yield* coming.splice(0, left === -1 ? coming.length : left);
  }
}

/** Decisions to tell somebody of what the history left open, about every `everyMs`. */
export function* demoNotificationStream(past: Past & { everyMs?: number }): Generator<DemoState, never> {
  const { everyMs = 20_000 } = past;
  const chance = chanceOf(past, 'notifications');
  const setting = settingOf(settingFor(past));
  for (let atMs = past.startMs; ; ) {
    atMs += Math.ceil(-Math.log(1 - chance.next()) * everyMs);
    yield anyNotification(setting.company, chance, setting, atMs);
  }
}

function chanceOf({ tenant, startMs, seed = 'tenantscope' }: Past, what: string): Chance {
  return chanceFrom(`${seed}/${tenant.azureTenantId}/${what}/${startMs}`);
}

function settingFor({ tenant, historyMs, seed = 'tenantscope' }: Past) {
  return { tenant, endMs: historyMs, seed };
}

/** Something that begins now, with all that will become of it. */
function courseFrom(setting: Setting, chance: Chance, atMs: number): DemoState[] {
  const { company } = setting;
  switch (chance.pick(['detection', 'alert', 'action', 'scan', 'entity'] as const)) {
    case 'detection':
      return detectionCourse(setting, chance, atMs);
    case 'alert':
      return alertStates(company, { ...anyAlert(company, chance, atMs), changedMs: atMs + 4 * minuteMs });
    case 'action':
      return actionStates(company, anyAction(company, chance, atMs, anyLife(chance)));
    case 'scan': {
      const policy = chance.pick(policies);
      const scan = {
        id: scanId(company, policy, atMs),
        policy,
        scannedMs: atMs,
        resources: chance.between(1, 6),
        isBeforeLedger: false,
      };
      return scanStates(company, { ...scan, status: 'resolved', resolvedMs: atMs + 6 * minuteMs });
    }
    case 'entity':
      return [{ ...entityNow({ ...setting, atMs }, chance), changedAtMs: atMs }];
  }
}

/** It opens, grows for some minutes and goes quiet. */
function detectionCourse({ company }: Setting, chance: Chance, atMs: number): DemoState[] {
  const opened = anyEpisode(company, chance, atMs - 3_600_000);
  const { peakCurrent, baseline } = opened;
  const growing = [1, 2, 3].map((part) => Math.ceil(baseline + ((peakCurrent - baseline) * part) / 3));
  const open = growing.map((current, index) => {
    const lastSeenMs = atMs + index * 2 * minuteMs;
    return detectionState({ ...opened, current, peakCurrent: current, lastSeenMs }, lastSeenMs);
  });
  const lastSeenMs = atMs + 4 * minuteMs;
  const resolvedMs = atMs + 8 * minuteMs;
  return [...open, detectionState({ ...opened, current: Math.floor(baseline), lastSeenMs, resolvedMs }, resolvedMs)];
}

function entityNow(setting: Setting, chance: Chance): DemoState {
  const { company } = setting;
  const person = chance.pick(company.people);
  switch (chance.pick(['user', 'user', 'device', 'file', 'agent'] as const)) {
    case 'user':
      return userState(setting, person);
    case 'device':
      return deviceState(setting, chance.pick(person.devices), person);
    case 'file':
      return fileState(setting, chance.pick(company.files));
    case 'agent':
      return agentState(setting, chance.pick(company.agents));
  }
}

const minuteMs = 60_000;
