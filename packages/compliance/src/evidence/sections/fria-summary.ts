import { dayMs } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type Counted, type EvidenceQuery, type FriaFacts, readFriaFacts } from '@tenantscope/store/compliance';
import { evidenceSections } from '../../catalogue/evidence.ts';
import { readValidityDays } from '../../catalogue/requirement.ts';
import { retentionTargetDays } from '../retention.ts';
import { paginateRows, type SectionReader } from '../section-reader.ts';
import { toIsoTime } from '../values/reported-value.ts';

const key = 'fria_summary';

export const friaSummary: SectionReader = {
  key,
  async read(reading, page) {
    const facts = await readFriaFacts(reading, { 'ai.attest.fria': readValidityDays('ai.attest.fria') });
    const section = evidenceSections.find((one) => one.key === key);
    const rows = (section?.questions ?? []).map((entry): JsonObject => {
      const { value, asOfMs } = computeValue(entry.key, facts, reading);
      return {
        key: entry.key,
        question: entry.question,
        questionPl: entry.questionPl,
        answer: value,
        basis: value === null ? 'unknown' : entry.basis,
        article: entry.article,
        asOf: value === null ? null : toIsoTime(asOfMs),
      };
    });
    const stamps = rows.flatMap(({ asOf }) => (typeof asOf === 'string' ? [Date.parse(asOf)] : []));
    return {
      ...paginateRows(rows, section?.orderBy ?? 'key', page),
      asOfMs: stamps.length === 0 ? null : Math.max(...stamps),
    };
  },
};

type SummaryValue = Counted<Json>;

function computeValue(name: string, facts: FriaFacts, reading: EvidenceQuery): SummaryValue {
  const calculate = calculations[name];
  if (calculate === undefined) throw new TypeError(`no calculation for ${name} of the FRIA summary`);
  return calculate(facts, reading);
}

const calculations: Readonly<Record<string, (facts: FriaFacts, reading: EvidenceQuery) => SummaryValue>> = {
  systems_total: ({ systems }) => systems,
  systems_classified: ({ classified }) => classified,
  systems_high_risk: ({ highRisk }) => highRisk,
  oversight_coverage_pct: ({ systems, overseen }) => ({
    value: systems.value === null || overseen.value === null ? null : roundDown((100 * overseen.value) / systems.value),
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

/** Rounded down to one decimal. */
const roundDown = (percent: number): number => Math.floor(10 * percent) / 10;
