import type { Json, JsonObject } from '@tenantscope/proof';
import { type Counted, type EvidenceReading, type FriaFacts, readFriaFacts } from '@tenantscope/store';
import { evidenceSections } from '../catalogue/evidence.ts';
import { retentionTargetDays } from './retention.ts';
import { pageOf, type SectionReader } from './section.ts';
import { toldTime } from './told-value.ts';

const key = 'fria_summary';

const dayMs = 86_400_000;

export const friaSummary: SectionReader = {
  key,
  async read(reading, page) {
    const facts = await readFriaFacts(reading);
    const section = evidenceSections.find((one) => one.key === key);
    const rows = (section?.questions ?? []).map((question): JsonObject => {
      const { value, asOfMs } = answerTo(question.key, facts, reading);
      return {
        key: question.key,
        question: question.question,
        questionPl: question.questionPl,
        answer: value,
        basis: value === null ? 'unknown' : question.basis,
        article: question.article,
        asOf: value === null ? null : toldTime(asOfMs),
      };
    });
    const stamps = rows.flatMap(({ asOf }) => (typeof asOf === 'string' ? [Date.parse(asOf)] : []));
    return {
      ...pageOf(rows, section?.orderBy ?? 'key', page),
      asOfMs: stamps.length === 0 ? null : Math.max(...stamps),
    };
  },
};

type Answer = Counted<Json>;

function answerTo(question: string, facts: FriaFacts, reading: EvidenceReading): Answer {
  const answer = answers[question];
  if (answer === undefined) throw new TypeError(`nobody answers ${question}`);
  return answer(facts, reading);
}

const answers: Readonly<Record<string, (facts: FriaFacts, reading: EvidenceReading) => Answer>> = {
  systems_total: ({ systems }) => systems,
  systems_classified: ({ classified }) => classified,
  systems_high_risk: ({ highRisk }) => highRisk,
  oversight_coverage_pct: ({ systems, overseen }) => ({
    value: systems.value === null || overseen.value === null ? null : cut((100 * overseen.value) / systems.value),
    asOfMs: overseen.asOfMs,
  }),
  restrictions_by_level: ({ restrictions }) => restrictions,
  ai_detectors_active: ({ detectors }) => detectors,
  incidents_total: ({ incidents }) => incidents,
  incidents_open: ({ openIncidents }) => openIncidents,
  external_users_reached: ({ externalUsers }) => externalUsers,
  retention_target_met: ({ oldestLog }, { toMs }) => ({
    ...oldestLog,
    value: oldestLog.value === null ? null : toMs - oldestLog.value >= retentionTargetDays * dayMs,
  }),
  log_history_days: ({ oldestLog }, { toMs }) => ({
    ...oldestLog,
    value: oldestLog.value === null ? null : Math.floor((toMs - oldestLog.value) / dayMs),
  }),
  fria_completed: ({ fria }) => fria,
};

/** One decimal, toward the worse side. */
const cut = (percent: number): number => Math.floor(10 * percent) / 10;
