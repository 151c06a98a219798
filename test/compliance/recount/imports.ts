import * as input from '../input-records.ts';
import { type Chooser, count, nowMs, type Part, send } from './part.ts';

const { dayMs, hourMs } = input;

const createSource = (choose: Chooser, source: string) => ({
  source,
  enabled: choose.happens(80),
  licensed: choose.pick([true, true, null, false]),
  // An import may claim to end long ahead of now, which shows nothing.
  importedAgeMs: choose.pick([null, choose.near(1), choose.near(7, 30), choose.near(3), -2 * hourMs]),
});
type Source = ReturnType<typeof createSource>;

const isUsed = (one: Source) => one.enabled && one.licensed !== false;
const hasImport = (one: Source) => one.importedAgeMs !== null && one.importedAgeMs >= 0;

/** In whole units, rounded up. */
function findOldestAge(sources: readonly Source[], unitMs: number): number | null {
  const ages = sources.filter(hasImport).map(({ importedAgeMs }) => importedAgeMs as number);
  return ages.length === 0 ? null : Math.ceil(Math.max(...ages) / unitMs);
}

/** Imports of agents and of sensitive types, the vendor's score and snapshots over time. */
export function createImports(choose: Chooser): Part {
  const some = (...names: readonly string[]) =>
    names.filter((_, index) => index === 0 || choose.happens(50)).map((name) => createSource(choose, name));
  const ofAgents = some('agents', 'agents/entra', 'agents/packages');
  const ofTypes = some('sensitive_info_types', 'sensitive_info_types/purview', 'sensitive_info_types/google');
  const agents = choose.several([0, 1, 3], (index) => `agent${index}`);
  const types = choose.several([0, 1, 3], (index) => `type${index}`);
  const scores = choose.several([0, 1, 4], (index) => ({
    id: `score${index}`,
    ageMs: choose.near(30, 31, 1, 60, -1) + index,
    currentScore: choose.between(0, 400) / 4,
    maxScore: choose.pick([100, 100, 80, 0]),
  }));
  const snapshotAgesMs = choose
    .several([0, 1, 3, 5], (index) => choose.near(90, 15, 8, 0) + index)
    .toSorted((one, other) => other - one);
  const used = ofAgents.filter(isUsed);
  const isComplete = used.every(hasImport);
  return {
    sent: [
      ...send(
        dayMs,
        ...[...agents.map((id) => input.agent(id)), ...types.map((id) => input.sensitiveInfoType(id))],
        ...[...agents.slice(2).map((id) => input.deletedEntity('agent', id))],
        ...[...types.slice(2).map((id) => input.deletedEntity('sensitiveInfoType', id))],
      ),
      ...send(
        0,
        ...[...ofAgents, ...ofTypes].map(({ source, enabled, licensed, importedAgeMs }) =>
          input.sourceStatus(source, importedAgeMs === null ? null : nowMs - importedAgeMs, { enabled, licensed }),
        ),
        ...scores.map(
          ({ id, ageMs, ...members }): input.InputRecord => ({
            topic: 'compliance',
            type: 'compliance.securityScore',
            id,
            members: { createdDateTime: input.at(nowMs - ageMs), ...members },
          }),
        ),
      ),
    ],
    snapshotAgesMs,
    counts: {
      'ai.agents.inventory_fresh': {
        agentsTotal: Math.min(agents.length, 2),
        sourcesExpected: used.length,
        sourcesFresh: count(used, (one) => hasImport(one) && (one.importedAgeMs as number) <= dayMs),
        // A source that never came to an end has no age.
        oldestImportAgeHours: isComplete ? findOldestAge(used, hourMs) : null,
      },
      'data.inventory.fresh': {
        typesTracked: Math.min(types.length, 2),
        scanAgeDays: findOldestAge(ofTypes.filter(isUsed), dayMs),
      },
      'ops.posture.secure_score': recountScore(scores),
      'ops.evidence.snapshots': {
        snapshots: count(snapshotAgesMs, (ageMs) => ageMs <= 90 * dayMs),
        // One that the clock of another server dates ahead was taken today.
        daysSinceLast:
          snapshotAgesMs.length === 0 ? null : Math.max(0, Math.ceil((snapshotAgesMs.at(-1) as number) / dayMs)),
      },
    },
  };
}

interface Score {
  readonly ageMs: number;
  readonly currentScore: number;
  readonly maxScore: number;
}

/** The newest score, and its change in percentage points since 30 days ago: a gain never looks larger than it is. */
function recountScore(scores: readonly Score[]) {
  const latest = (minAgeMs: number) =>
    scores.filter(({ ageMs }) => ageMs >= minAgeMs).toSorted((one, other) => one.ageMs - other.ageMs)[0];
  const [now, before] = [latest(0), latest(30 * dayMs)];
  // Quarters of points: whole numbers show what floating point would not.
  const change =
    now && before && now.maxScore > 0 && before.maxScore > 0
      ? Math.floor(
          (10 * 100 * (now.currentScore * before.maxScore - before.currentScore * now.maxScore)) /
            (now.maxScore * before.maxScore),
        ) / 10
      : null;
  return {
    currentScore: now?.currentScore ?? null,
    maxScore: now?.maxScore ?? null,
    deltaPct30d: change,
  };
}
