import type { EventAi, EventChange, EventLocation, EventSignIn, EventTarget, EventThreat } from '@tenantscope/contract';

/**
 * What a record tells about the circumstances of an action and its effects, as the provider writes it: `projectRow` masks
 * secrets, makes invisible characters visible and applies the limits of the contract.
 */
export interface EventContext {
  /** A number or a name, as in the record. */
  readonly recordType: string | null;
  readonly category: string | null;
  readonly errorCode: string | null;
  readonly outcomeReason: string | null;
  readonly sessionId: string | null;
  readonly correlationId: string | null;
  readonly userAgent: string | null;
  readonly deviceOs: string | null;
  readonly location: EventLocation | null;
  readonly signIn: EventSignIn | null;
  /** In the provider's order, all of them. */
  readonly targets: readonly EventTarget[];
  readonly changes: readonly EventChange[];
  /** In any order; a name may repeat. */
  readonly details: readonly Detail[];
  readonly threat: EventThreat | null;
  readonly ai: EventAi | null;
}

/** A parameter or another member of the record. */
export type Detail = readonly [name: string, value: string];

export const noContext: EventContext = {
  recordType: null,
  category: null,
  errorCode: null,
  outcomeReason: null,
  sessionId: null,
  correlationId: null,
  userAgent: null,
  deviceOs: null,
  location: null,
  signIn: null,
  targets: [],
  changes: [],
  details: [],
  threat: null,
  ai: null,
};

export const noLocation: EventLocation = {
  country: null,
  region: null,
  city: null,
  latitude: null,
  longitude: null,
  asn: null,
  asOrganization: null,
  isProxy: null,
};

export const noSignIn: EventSignIn = {
  isInteractive: null,
  authenticationRequirement: null,
  authenticationProtocol: null,
  conditionalAccessStatus: null,
  incomingTokenType: null,
  mfaResult: null,
  riskLevel: null,
  riskState: null,
  riskEventTypes: null,
};

export const noAi: EventAi = {
  agentId: null,
  agentName: null,
  host: null,
  model: null,
  plugins: null,
  resources: null,
  jailbreak: null,
  crossPromptInjection: null,
  blocked: null,
};
