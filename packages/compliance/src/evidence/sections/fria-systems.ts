import type { Json, JsonObject } from '@tenantscope/proof';
import { type EvidenceQuery, type FriaSystem, readFriaSystems } from '@tenantscope/store/compliance';
import { readValidityDays } from '../../catalogue/requirement.ts';
import { maskFreeText } from '../personal-data/mask-personal-data.ts';
import type { SectionReader } from '../section-reader.ts';
import { toCount, toEnumValue, toIsoTime, toJsonValue, toText } from '../values/reported-value.ts';

const validityDays = {
  'prv.attest.dpia': readValidityDays('prv.attest.dpia'),
  'ai.attest.persons_informed': readValidityDays('ai.attest.persons_informed'),
};

type Members = Readonly<Record<string, unknown>>;

export const friaSystems: SectionReader = {
  key: 'fria_systems',
  async read(reading, page) {
    const { rows, totalRowCount } = await readFriaSystems(reading, page, validityDays);
    return {
      rows: rows.map((system) => toRow(system, reading)),
      totalRowCount,
      asOfMs: rows.length === 0 ? null : Math.max(...rows.map(({ stampMs }) => stampMs)),
    };
  },
};

function toRow(system: FriaSystem, { toMs }: EvidenceQuery): JsonObject {
  const { facts } = system;
  const purpose = readPurpose(system);
  const complaintChannel = toText(system.personsInformed?.complaintChannel);
  const declaredGroups = readGroups(system.decision);
  const control = findStopControl(facts);
  const knowsTypes = Array.isArray(facts.sensitiveInfoTypes);
  return {
    agentId: system.agentId,
    agentName: system.agentName,
    riskClass: toEnumValue(
      system.riskClass,
      ['prohibited', 'high', 'transparency', 'minimal', 'unclassified'],
      'unclassified',
    ),
    purpose,
    period: {
      from: toIsoTime(system.firstUsedMs),
      to: toIsoTime(system.lastUsedMs),
      eventsPerWeek: countPerWeek(system, toMs),
      activeDays: system.activeDays,
    },
    affectedPersons: {
      users: system.users,
      externalUsers: system.externalUsers,
      departments: system.departments === null ? null : [...system.departments].sort(),
      declaredGroups,
    },
    reach: {
      files: toCount(facts.fileReachCount),
      sensitiveFiles: toCount(facts.sensitiveFileReachCount),
      restrictedTypes: knowsTypes ? toJsonValue(system.restricted ?? []) : null,
      sensitiveTypes: knowsTypes
        ? toList(facts.sensitiveInfoTypes).map(({ id, name }) => ({ id: toText(id), name: toText(name) }))
        : null,
    },
    knowledgeSources: toList(facts.knowledgeSources).map(({ type, name, url, sensitivity }) => ({
      type: toText(type),
      name: toText(name),
      url: toText(url),
      sensitivity: toText(sensitivity),
    })),
    oversight: {
      accountable:
        system.personId === null
          ? null
          : { userId: system.personId, name: system.personName, enabled: system.personEnabled },
      source: toEnumValue(system.personSource, ['nativeOwner', 'nativeSponsor', 'assignment', 'none'], 'none'),
      canStop: control !== null,
      stopControl: control,
    },
    incidents: {
      threatEvents: system.threatEvents,
      detections: system.detections,
      alerts: system.alerts,
      open: system.openIncidents,
      lastAt: toIsoTime(system.lastIncidentMs),
    },
    measures: { remediationActions: system.remediationActions, complaintChannel },
    dpiaRef: findReference(system.dpia),
    missing: listMissing(system, { purpose, declaredGroups, complaintChannel, control }),
  };
}

/** Instructions are the best evidence of the purpose, then the description, then a declaration. */
function readPurpose({ facts, instructions, decision }: FriaSystem) {
  const [description, declared] = [toText(facts.description), toText(decision?.purpose)];
  if (instructions) return { text: maskFreeText(instructions), source: 'instructions' };
  if (description) return { text: maskFreeText(description), source: 'description' };
  if (declared) return { text: maskFreeText(declared), source: 'declared' };
  return { text: null, source: 'none' };
}

/**
 * Events per week with one decimal, from the first use to the end of the window, at least one week; null while no use is
 * known.
 */
function countPerWeek({ eventCount, firstUsedMs }: FriaSystem, toMs: number): number | null {
  if (eventCount === null || firstUsedMs === null) return null;
  return Math.round((10 * eventCount) / Math.max(1, (toMs - firstUsedMs) / weekMs)) / 10;
}

const weekMs = 604_800_000;

/** The control with which an administrator stops an agent of this kind; null where unknown. */
function findStopControl(facts: Members): 'block' | 'quarantine' | 'disable' | null {
  if (facts.platform === 'copilotStudio') return 'quarantine';
  if (
    ['microsoft365Copilot', 'agentBuilder', 'teams', 'sharePoint'].includes(String(facts.platform)) ||
    facts.packageId
  )
    return 'block';
  return facts.agentIdentityId || facts.appId || facts.servicePrincipalId ? 'disable' : null;
}

function readGroups(decision: Members | null): Json {
  const groups = decision?.declaredGroups;
  return Array.isArray(groups) ? groups.flatMap((group) => toText(group) ?? []) : null;
}

function findReference(attestation: Members | null): string | null {
  if (attestation === null || attestation.verdict === 'non_compliant' || attestation.verdict === 'not_applicable')
    return null;
  const references = attestation.evidenceRefs;
  if (!Array.isArray(references)) return null;
  return references.map(toReferenceText).find((reference) => reference !== null) ?? null;
}

/** A reference is a text, or has a URI and a title. */
function toReferenceText(reference: unknown): string | null {
  if (typeof reference !== 'object' || reference === null) return toText(reference);
  const { uri, title } = reference as Members;
  return toText(uri) ?? toText(title);
}

/** Elements of Art. 27(1) without data. Only the deployer can describe the possible harm. */
function listMissing(
  { facts, eventCount, personId }: FriaSystem,
  found: {
    purpose: { text: string | null };
    declaredGroups: Json;
    complaintChannel: string | null;
    control: string | null;
  },
): string[] {
  const elements: readonly [isMissing: boolean, element: string][] = [
    [found.purpose.text === null, 'Art. 27(1)(a): purpose and process'],
    [eventCount === null, 'Art. 27(1)(b): period and frequency of use'],
    [found.declaredGroups === null, 'Art. 27(1)(c): affected third persons and groups'],
    [toCount(facts.fileReachCount) === null, 'Art. 27(1)(d): data within reach'],
    [true, 'Art. 27(1)(d): specific risks of harm'],
    [personId === null, 'Art. 27(1)(e): accountable person'],
    [found.control === null, 'Art. 27(1)(e): stop control'],
    [true, 'Art. 27(1)(f): governance when risks materialise'],
    [found.complaintChannel === null, 'Art. 27(1)(f): complaint mechanism'],
  ];
  return elements.filter(([isMissing]) => isMissing).map(([, element]) => element);
}

function toList(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
