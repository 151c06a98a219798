import type { EventThreat, Severity } from '@tenantscope/contract';
import { isObject, type Json, type JsonObject, toBoolean, toList, toObject, toText } from '../json/value.ts';
import { findHighest } from '../severity/severity.ts';

/** What Okta's engines hold of a request. */
export interface OktaRisk {
  /** Level of the sign-in: LOW, MEDIUM or HIGH. */
  readonly level: string | null;
  /** Behaviors that deviate from the user's history, and reasons of the level. */
  readonly reasons: readonly string[];
  readonly threat: EventThreat | null;
  /** The severity of the threat; null where there is none. */
  readonly severity: Severity | null;
}

/**
 * Reads `risk`, `behaviors`, `threatSuspected` and `threatDetections` of debugData, and the first two of securityContext where it
 * has none. `LOW` is the level of every ordinary sign-in, and a new device is no threat: neither is a verdict.
 */
export function readOktaRisk(debugData: JsonObject, securityContext: JsonObject): OktaRisk {
  const { threatSuspected, threatDetections, logOnlySecurityData } = debugData;
  const risk = debugData.risk ?? securityContext.risk;
  const behaviors = debugData.behaviors ?? readBehaviors(securityContext.userBehaviors);
  if (
    risk === undefined &&
    behaviors === undefined &&
    threatSuspected === undefined &&
    logOnlySecurityData === undefined
  )
    return noRisk;
  const logOnly = toMembers(logOnlySecurityData);
  const scores = readPairs(risk ?? logOnly.risk);
  const level = scores.find(([name]) => name === 'level')?.[1] ?? null;
  const detections = readPairs(threatDetections);
  const reasons = [
    ...scores.flatMap(([name, value]) => (name === 'reasons' && value !== '' ? splitNames(value) : [])),
    ...readPairs(behaviors ?? logOnly.behaviors).flatMap(([name, value]) => (value === 'POSITIVE' ? [name] : [])),
  ];
  const severity = findHighest([
    verdicts.get(level ?? '') ?? null,
    toBoolean(threatSuspected) === true ? 'medium' : null,
    ...detections.map(([, found]) => verdicts.get(found) ?? null),
  ]);
  const threat = toThreat(toBoolean(threatSuspected) === true, level, detections);
  return { level, reasons, threat, severity };
}

/** `[{"name":"New IP","result":"POSITIVE"}]` as an object of results by name. */
function readBehaviors(list: Json | undefined): JsonObject | undefined {
  const behaviors = toList(list).filter(isObject);
  if (behaviors.length === 0) return undefined;
  return Object.fromEntries(behaviors.map(({ name, result }) => [toText(name) ?? '', result]));
}

function toThreat(isSuspected: boolean, level: string | null, detections: readonly Pair[]): EventThreat | null {
  if (isSuspected) {
    const highest = findHighest(detections.map(([, found]) => verdicts.get(found) ?? null));
    const found = detections.find(([, value]) => verdicts.get(value) === highest)?.[1] ?? null;
    return {
      verdict: 'threatSuspected',
      level: found ?? level,
      name: detections.length === 0 ? null : detections.map(([name]) => name).join(', '),
      source: 'Okta ThreatInsight',
    };
  }
  if (level === null || !verdicts.has(level)) return null;
  return { verdict: 'risk', level, name: null, source: 'Okta' };
}

type Pair = readonly [name: string, value: string];

/** `{level=LOW}` as text, JSON text, an object, or an object whose names hold the values (`"New IP=POSITIVE": null`). */
function readPairs(value: Json | undefined): Pair[] {
  if (typeof value === 'string' && !jsonObject.test(value)) return readPairText(value);
  return Object.entries(toMembers(value)).flatMap(([name, member]) => {
    const text = Array.isArray(member) ? joinTexts(member) : toText(member);
    return text === null ? readPairText(name) : [[name, text] as const];
  });
}

const joinTexts = (list: readonly Json[]): string => list.flatMap((each) => toText(each) ?? []).join(', ');

/** A value reaches to the next name: `{reasons=Anomalous Location, Anomalous Device, level=HIGH}` has two. */
function readPairText(text: string): Pair[] {
  const pairs: [string, string][] = [];
  for (const part of text.slice(0, textMax).replace(braces, '').split(',')) {
    const at = part.indexOf('=');
    const last = pairs.at(-1);
    if (at !== -1) pairs.push([part.slice(0, at).trim(), part.slice(at + 1).trim()]);
    else if (last !== undefined) last[1] += `,${part}`;
  }
  return pairs;
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** An object, also as JSON text. */
function toMembers(value: Json | undefined): JsonObject {
  if (typeof value !== 'string') return toObject(value);
  if (value.length > textMax || !jsonObject.test(value)) return noMembers;
  try {
    const parsed = JSON.parse(value) as Json;
    return isObject(parsed) ? parsed : noMembers;
  } catch {
    return noMembers;
  }
}

const noMembers: JsonObject = Object.freeze({});
const noRisk: OktaRisk = Object.freeze({ level: null, reasons: [], threat: null, severity: null });
const verdicts = new Map<string, Severity>([
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);
const braces = /^\s*\{|\}\s*$/g;
const jsonObject = /^\s*\{\s*"/;
/** Okta cuts debugData at a few thousand characters. */
const textMax = 16_384;
