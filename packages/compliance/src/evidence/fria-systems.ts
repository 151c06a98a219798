import { maskSecretText } from '@tenantscope/intake';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type EvidenceReading, type FriaSystem, readFriaSystems } from '@tenantscope/store';
import type { SectionReader } from './section.ts';
import { toldCount, toldText, toldTime, toldValue, toldWord } from './told-value.ts';

type Members = Readonly<Record<string, unknown>>;

export const friaSystems: SectionReader = {
  key: 'fria_systems',
  async read(reading, page) {
    const { rows, totalRowCount } = await readFriaSystems(reading, page);
    return {
      rows: rows.map((system) => rowOf(system, reading)),
      totalRowCount,
      asOfMs: rows.length === 0 ? null : Math.max(...rows.map(({ stampMs }) => stampMs)),
    };
  },
};

function rowOf(system: FriaSystem, { toMs }: EvidenceReading): JsonObject {
  const { facts } = system;
  const purpose = purposeOf(system);
  const complaintChannel = toldText(system.personsInformed?.complaintChannel);
  const declaredGroups = groupsOf(system.decision);
  const control = stopControlOf(facts);
  const knowsTypes = Array.isArray(facts.sensitiveInfoTypes);
  return {
    agentId: system.agentId,
    agentName: system.agentName,
    riskClass: toldWord(
      system.riskClass,
      ['prohibited', 'high', 'transparency', 'minimal', 'unclassified'],
      'unclassified',
    ),
    purpose,
    period: {
      from: toldTime(system.firstUsedMs),
      to: toldTime(system.lastUsedMs),
      eventsPerWeek: perWeek(system, toMs),
      activeDays: system.activeDays,
    },
    affectedPersons: {
      users: system.users,
      externalUsers: system.externalUsers,
      departments: system.departments === null ? null : [...system.departments].sort(),
      declaredGroups,
    },
    reach: {
      files: toldCount(facts.fileReachCount),
      sensitiveFiles: toldCount(facts.sensitiveFileReachCount),
      restrictedTypes: knowsTypes ? toldValue(system.restricted ?? []) : null,
      sensitiveTypes: knowsTypes
        ? listOf(facts.sensitiveInfoTypes).map(({ id, name }) => ({ id: toldText(id), name: toldText(name) }))
        : null,
    },
    knowledgeSources: listOf(facts.knowledgeSources).map(({ type, name, url, sensitivity }) => ({
      type: toldText(type),
      name: toldText(name),
      url: toldText(url),
      sensitivity: toldText(sensitivity),
    })),
    oversight: {
      accountable:
        system.accountableId === null
          ? null
          : { userId: system.accountableId, name: system.accountableName, enabled: system.accountableEnabled },
      source: toldWord(facts.ownerSource, ['nativeOwner', 'nativeSponsor', 'assignment', 'none'], 'none'),
      canStop: control !== null,
      stopControl: control,
    },
    incidents: {
      threatEvents: system.threatEvents,
      detections: system.detections,
      alerts: system.alerts,
      open: system.openIncidents,
      lastAt: toldTime(system.lastIncidentMs),
    },
    measures: { remediationActions: system.remediationActions, complaintChannel },
    dpiaRef: referenceOf(system.dpia),
    missing: missingOf(system, { purpose, declaredGroups, complaintChannel, control }),
  };
}

/** What it is told to do says more than what it says it does, and that more than what somebody declared. */
function purposeOf({ facts, instructions, decision }: FriaSystem) {
  const [description, declared] = [toldText(facts.description), toldText(decision?.purpose)];
  if (instructions) return { text: maskSecretText(instructions), source: 'instructions' };
  if (description) return { text: maskSecretText(description), source: 'description' };
  if (declared) return { text: maskSecretText(declared), source: 'declared' };
  return { text: null, source: 'none' };
}

/** One decimal, from its first use to the end of the window, a week at least; null while no use is known. */
function perWeek({ eventCount, firstUsedMs }: FriaSystem, toMs: number): number | null {
  if (eventCount === null || firstUsedMs === null) return null;
  return Math.round((10 * eventCount) / Math.max(1, (toMs - firstUsedMs) / weekMs)) / 10;
}

const weekMs = 604_800_000;

/** The control by which an administrator stops an agent of this kind; null where none is known. */
function stopControlOf(facts: Members): 'block' | 'quarantine' | 'disable' | null {
  if (facts.platform === 'copilotStudio') return 'quarantine';
  if (
    ['microsoft365Copilot', 'agentBuilder', 'teams', 'sharePoint'].includes(String(facts.platform)) ||
    facts.packageId
  )
    return 'block';
  return facts.agentIdentityId || facts.appId || facts.servicePrincipalId ? 'disable' : null;
}

function groupsOf(decision: Members | null): Json {
  const groups = decision?.declaredGroups;
  return Array.isArray(groups) ? groups.flatMap((group) => toldText(group) ?? []) : null;
}

function referenceOf(attestation: Members | null): string | null {
  if (attestation === null || attestation.verdict === 'non_compliant' || attestation.verdict === 'not_applicable')
    return null;
  const references = attestation.evidenceRefs;
  return Array.isArray(references) ? (references.map(toldText).find((reference) => reference !== null) ?? null) : null;
}

/** Elements of Art. 27(1) that nothing here fills. What harm may come of it only the deployer can say. */
function missingOf(
  { facts, eventCount, accountableId }: FriaSystem,
  known: {
    purpose: { text: string | null };
    declaredGroups: Json;
    complaintChannel: string | null;
    control: string | null;
  },
): string[] {
  const elements: readonly [isMissing: boolean, element: string][] = [
    [known.purpose.text === null, 'Art. 27(1)(a): purpose and process'],
    [eventCount === null, 'Art. 27(1)(b): period and frequency of use'],
    [known.declaredGroups === null, 'Art. 27(1)(c): affected third persons and groups'],
    [toldCount(facts.fileReachCount) === null, 'Art. 27(1)(d): data within reach'],
    [true, 'Art. 27(1)(d): specific risks of harm'],
    [accountableId === null, 'Art. 27(1)(e): accountable person'],
    [known.control === null, 'Art. 27(1)(e): stop control'],
    [true, 'Art. 27(1)(f): governance when risks materialise'],
    [known.complaintChannel === null, 'Art. 27(1)(f): complaint mechanism'],
  ];
  return elements.filter(([isMissing]) => isMissing).map(([, element]) => element);
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
