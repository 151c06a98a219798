import type { EventSignIn } from '@tenantscope/contract';
import { noSignIn } from '../../activity/event-context.ts';
import { findNamedValue } from '../../field/named-value.ts';
import { firstText, type Json, type JsonObject, toText } from '../../json/value.ts';
import { recordTypes } from '../record-type.ts';

/** A sign-in of Entra. The record names the protocol; policies and second factors show in its error only. */
export function readSignIn(record: JsonObject, recordType: number | null): EventSignIn | null {
  if (recordType === recordTypes.AadRiskDetection) return readRisk(record);
  if (recordType !== recordTypes.AzureActiveDirectoryStsLogon) return null;
  const properties = record.ExtendedProperties;
  const named = (name: string): Json | undefined => findNamedValue(properties, name) ?? record[name];
  const error = toText(record.LogonError);
  return toSignIn({
    ...noSignIn,
    authenticationRequirement: firstText(named('AuthenticationRequirement')),
    authenticationProtocol: firstText(named('RequestType'), named('AuthenticationProtocol')),
    conditionalAccessStatus:
      firstText(named('ConditionalAccessStatus')) ??
      (policyErrors.has(toText(record.ErrorNumber) ?? '') || (error !== null && policyError.test(error))
        ? 'failure'
        : null),
    incomingTokenType: firstText(named('IncomingTokenType')),
    mfaResult: firstText(named('MfaResult')) ?? (error !== null && secondFactorError.test(error) ? error : null),
    riskLevel: firstText(named('RiskLevel')),
    riskState: firstText(named('RiskState')),
  });
}

function readRisk(record: JsonObject): EventSignIn | null {
  const type = firstText(record.RiskEventType, record.RiskType);
  return toSignIn({
    ...noSignIn,
    riskLevel: toText(record.RiskLevel),
    riskState: toText(record.RiskState),
    riskEventTypes: type === null ? null : [type],
  });
}

function toSignIn(signIn: EventSignIn): EventSignIn | null {
  for (const name in signIn) if (signIn[name as keyof EventSignIn] !== null) return signIn;
  return null;
}

/** Entra's codes for a sign-in that a conditional access policy refused. */
const policyErrors: ReadonlySet<string> = new Set(['53000', '53001', '53002', '53003', '53004', '530032', '530034']);
const policyError = /ConditionalAccess|DeviceNotCompliant|DeviceNotDomainJoined/;
/** For example UserStrongAuthClientAuthNRequiredInterrupt. */
const secondFactorError = /StrongAuth|MultiFactor|SecondFactor|ProofUp/i;
