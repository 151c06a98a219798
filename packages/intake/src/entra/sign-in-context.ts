import type { EventAi, EventSignIn } from '@tenantscope/contract';
import { type Detail, type EventContext, noAi, noContext, noSignIn } from '../activity/event-context.ts';
import type { LogFrame } from '../azure-monitor/log-frame.ts';
import { addFrame, addInvalidGuid, addMembers } from '../azure-monitor/member-details.ts';
import { firstId } from '../field/guid.ts';
import { firstText, type JsonObject, toBoolean, toList, toObject, toText } from '../json/value.ts';
import { readLocation } from './location.ts';
import { identityProtection, type Risk, readRiskThreat, readTypes } from './risk.ts';

export function readSignInContext(signIn: JsonObject, frame: LogFrame, risk: Risk): EventContext {
  const status = toObject(signIn.status);
  return {
    ...noContext,
    category: frame.category,
    errorCode: readErrorCode(signIn, frame),
    outcomeReason: firstText(status.failureReason, frame.resultDescription),
    sessionId: firstText(signIn.sessionId, signIn.uniqueTokenIdentifier),
    correlationId: firstText(signIn.correlationId, frame.correlationId),
    userAgent: toText(signIn.userAgent),
    deviceOs: toText(toObject(signIn.deviceDetail).operatingSystem),
    location: readLocation(signIn.location, signIn.autonomousSystemNumber, risk.types),
    signIn: readSignIn(signIn, risk),
    details: collectDetails(signIn, frame),
    threat: readRiskThreat(risk, null, identityProtection),
    ai: readAgent(signIn),
  };
}

/** The level during the sign-in says more about it than that of the whole user. */
export function readSignInRisk(signIn: JsonObject): Risk {
  return {
    level: firstText(signIn.riskLevelDuringSignIn, signIn.riskLevelAggregated),
    state: toText(signIn.riskState),
    types: readTypes(signIn.riskEventTypes_v2) ?? readTypes(signIn.riskEventTypes),
  };
}

/** Verbatim: 0 is success. Some exports write `Success` or `Failure` in place of the code. */
function readErrorCode(signIn: JsonObject, frame: LogFrame): string | null {
  const code = firstText(toObject(signIn.status).errorCode, frame.resultType);
  return code === null || /^[A-Za-z]+$/.test(code) ? null : code;
}

function readSignIn(signIn: JsonObject, risk: Risk): EventSignIn {
  return {
    ...noSignIn,
    isInteractive: toBoolean(signIn.isInteractive),
    authenticationRequirement: toText(signIn.authenticationRequirement),
    authenticationProtocol: toText(signIn.authenticationProtocol),
    conditionalAccessStatus: toText(signIn.conditionalAccessStatus),
    incomingTokenType: toText(signIn.incomingTokenType),
    mfaResult: readMfaResult(signIn),
    riskLevel: risk.level,
    riskState: risk.state,
    riskEventTypes: risk.types === null ? null : [...risk.types],
  };
}

/**
 * The result of the last step that was not the first factor; the status repeats it where the steps are missing.
 * `mfaDetail.authDetail` may be the telephone number instead.
 */
function readMfaResult(signIn: JsonObject): string | null {
  const steps = toList(signIn.authenticationDetails);
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = toObject(steps[index]);
    const result = toText(step.authenticationStepResultDetail);
    if (result !== null && toText(step.authenticationStepRequirement) !== 'Primary authentication') return result;
  }
  const { authResult, authDetail } = toObject(signIn.mfaDetail);
  const notes = [toObject(signIn.status).additionalDetails, authDetail].map((note) => toText(note));
  return notes.find((note) => note?.startsWith('MFA')) ?? toText(authResult);
}

/** An agent that signs in itself, or as a user of its own, whose parent is the agent. */
function readAgent(signIn: JsonObject): EventAi | null {
  const agent = toObject(signIn.agent);
  const type = firstText(agent.agentType, signIn.agentType);
  if (type === null || type === 'notAgentic') return null;
  return {
    ...noAi,
    agentId: firstId(
      agent.agentServicePrincipalId,
      signIn.servicePrincipalId,
      agent.agentSubjectParentId,
      signIn.userId,
      signIn.appId,
    ),
    agentName: firstText(signIn.servicePrincipalName, signIn.userDisplayName, signIn.appDisplayName),
  };
}

function collectDetails(signIn: JsonObject, frame: LogFrame): Detail[] {
  const details: Detail[] = [];
  addFrame(details, frame, { correlationId: signIn.correlationId, address: signIn.ipAddress });
  addMembers(details, signIn, signInNames);
  addInvalidGuid(details, 'appId', signIn.appId);
  if (firstText(signIn.sessionId) !== null) addText(details, 'uniqueTokenIdentifier', signIn.uniqueTokenIdentifier);
  if (firstText(signIn.riskLevelDuringSignIn) !== null)
    addText(details, 'riskLevelAggregated', signIn.riskLevelAggregated);
  if (firstId(signIn.userId) !== null) {
    addText(details, 'servicePrincipalId', signIn.servicePrincipalId);
    addText(details, 'servicePrincipalName', signIn.servicePrincipalName);
  }
  addMembers(details, toObject(signIn.status), statusNames, 'status.');
  addMembers(details, toObject(signIn.deviceDetail), deviceNames, 'deviceDetail.');
  addText(details, 'appliedConditionalAccessPolicies', describePolicies(signIn));
  addText(details, 'authenticationDetails', describeSteps(signIn));
  return details;
}

function addText(details: Detail[], name: string, value: JsonObject[string]): void {
  const text = toText(value);
  if (text !== null) details.push([name, text]);
}

/**
 * `Require MFA: success`. Policies that did not apply are left out: tenants have dozens of them, and each would be stored
 * and searched for secrets with every sign-in.
 */
function describePolicies(signIn: JsonObject): string {
  const texts: string[] = [];
  for (const entry of toList(signIn.appliedConditionalAccessPolicies)) {
    const policy = toObject(entry);
    const result = toText(policy.result);
    const name = firstText(policy.displayName, policy.id);
    if (name !== null && (result === null || !idleResults.has(result))) texts.push(joinParts(name, result));
  }
  return texts.join(', ');
}

/** `Password (Password in the cloud): Correct password`. */
function describeSteps(signIn: JsonObject): string {
  const texts: string[] = [];
  for (const entry of toList(signIn.authenticationDetails)) {
    const step = toObject(entry);
    const method = toText(step.authenticationMethod);
    const part = toText(step.authenticationMethodDetail);
    const name = method !== null && part !== null && part !== method ? `${method} (${part})` : (method ?? part);
    const result = toText(step.authenticationStepResultDetail);
    if (name !== null || result !== null) texts.push(name === null ? `${result}` : joinParts(name, result));
  }
  return texts.join(', ');
}

function joinParts(name: string, result: string | null): string {
  return result === null ? name : `${name}: ${result}`;
}

const idleResults: ReadonlySet<string> = new Set(['notApplied', 'notEnabled', 'reportOnlyNotApplied']);
const statusNames: ReadonlySet<string> = new Set(['errorCode', 'failureReason']);
const deviceNames: ReadonlySet<string> = new Set(['deviceId', 'displayName', 'operatingSystem', 'isManaged']);
/** Members that fields of the row serve, and those that are described above. */
const signInNames: ReadonlySet<string> = new Set(
  `id createdDateTime userPrincipalName userId appId appDisplayName ipAddress clientAppUsed resourceId resourceDisplayName
  status deviceDetail location autonomousSystemNumber correlationId userAgent sessionId uniqueTokenIdentifier isInteractive
  authenticationRequirement authenticationProtocol conditionalAccessStatus incomingTokenType riskLevelDuringSignIn
  riskLevelAggregated riskState riskEventTypes riskEventTypes_v2 appliedConditionalAccessPolicies
  authenticationDetails servicePrincipalId servicePrincipalName`.split(/\s+/),
);
