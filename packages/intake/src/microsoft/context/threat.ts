import type { EventThreat } from '@tenantscope/contract';
import { firstText, isObject, type JsonObject, toList, toObject, toText } from '../../json/value.ts';
import { recordTypes } from '../record-type.ts';
import { parseJsonObject } from './json-text.ts';

/** The provider's verdict: of threat intelligence, of an alert, of the virus scan, of risk detection. */
export function readThreat(record: JsonObject, recordType: number | null): EventThreat | null {
  const reader = recordType === null ? undefined : readers.get(recordType);
  if (reader !== undefined) return reader(record);
  return record.VirusInfo === undefined ? null : readVirus(record);
}

/** A mail, link or file; the name is that of the malware, else the technique that detected it. */
function readIntelligence(record: JsonObject): EventThreat | null {
  const file = toObject(record.FileData);
  return toThreat({
    verdict: firstText(record.Verdict, file.FileVerdict),
    level: firstText(record.PhishConfidenceLevel),
    name: firstText(file.MalwareFamily, record.MalwareFamily) ?? joinTexts(record) ?? toText(record.Policy),
    source: firstText(record.DetectionMethod, record.DetectionType),
  });
}

function joinTexts(record: JsonObject): string | null {
  const list = record.ThreatsAndDetectionTech;
  if (!Array.isArray(list)) return toText(list);
  const texts = toList(list)
    .slice(0, joinedMax)
    .flatMap((each) => toText(each) ?? []);
  return texts.length === 0 ? null : texts.join(', ');
}

/**
 * Alerts about data loss, retention or mail flow are findings, but no threats. `Data` repeats the severity and the name in
 * abbreviated members, and has the malware that an alert is about as its entity.
 */
function readAlert(record: JsonObject): EventThreat | null {
  const category = toText(record.Category);
  if (category !== null && harmless.test(category)) return null;
  const data = isObject(record.Data) ? record.Data : (parseJsonObject(record.Data) ?? noData);
  const malware = toText(data.etype) === 'MalwareFamily' ? toText(data.eid) : null;
  return toThreat({
    verdict: category ?? (malware === null ? null : 'malware'),
    level: firstText(record.Severity, data.sev),
    name: malware ?? firstText(record.Name, record.InvestigationName, data.an),
    source: toText(record.Source),
  });
}

function readVirus(record: JsonObject): EventThreat | null {
  const name = toText(record.VirusInfo);
  return name === null ? null : { verdict: 'malware', level: null, name, source: toText(record.VirusVendor) };
}

function readRisk(record: JsonObject): EventThreat | null {
  return toThreat({
    verdict: toText(record.RiskState),
    level: toText(record.RiskLevel),
    name: firstText(record.RiskEventType, record.RiskType),
    source: toText(record.Source),
  });
}

function toThreat(threat: EventThreat): EventThreat | null {
  const { verdict, level, name } = threat;
  return verdict === null && level === null && name === null ? null : threat;
}

const readers = new Map<number, (record: JsonObject) => EventThreat | null>([
  [recordTypes.ThreatIntelligence, readIntelligence],
  [recordTypes.ThreatIntelligenceUrl, readIntelligence],
  [recordTypes.ThreatIntelligenceAtpContent, readIntelligence],
  [recordTypes.SecurityComplianceAlerts, readAlert],
  [recordTypes.AirInvestigation, readAlert],
  [recordTypes.MCASAlerts, readAlert],
  [recordTypes.AadRiskDetection, readRisk],
]);
const harmless =
  /^(?:data ?loss ?prevention|data ?(?:life ?cycle|governance)|information ?governance|mail ?flow|others?)/i;
const noData: JsonObject = {};
/** More are cut in the row. */
const joinedMax = 64;
