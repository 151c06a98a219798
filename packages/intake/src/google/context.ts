import type { EventAi, EventLocation, EventSignIn, EventTarget } from '@tenantscope/contract';
import { type Detail, type EventContext, noAi, noContext, noLocation, noSignIn } from '../activity/event-context.ts';
import { addDetail, addRemainingMembers, type ServedMembers } from '../activity/remaining-members.ts';
import { firstText, isObject, type Json, type JsonObject, toInteger, toList, toObject, toText } from '../json/value.ts';
import { listGoogleChanges } from './changes.ts';
import { listGoogleTargets } from './objects.ts';
import type { GoogleResult } from './outcome.ts';
import type { Parameters } from './parameters.ts';
import type { GoogleVerdict } from './threat.ts';

/** @param record an envelope whose `events` is one event */
export function readGoogleContext(
  record: JsonObject,
  parameters: Parameters,
  { errorCode, reason }: GoogleResult,
  { threat }: GoogleVerdict,
): EventContext {
  const event = toObject(record.events);
  const application = firstText(toObject(record.id).applicationName);
  const category = firstText(event.type);
  return {
    ...noContext,
    category,
    errorCode,
    outcomeReason: reason,
    userAgent: readUserAgent(parameters),
    deviceOs: readDeviceOs(application, parameters),
    location: readLocation(record.networkInfo, parameters),
    signIn: readSignIn(application, category, parameters),
    targets: [...toList(record.resourceDetails).flatMap(toTarget), ...listGoogleTargets(parameters)],
    changes: listGoogleChanges(parameters),
    details: listDetails(record, parameters),
    threat,
    ai: readAi(application, category, parameters),
  };
}

export function readUserAgent(parameters: Parameters): string | null {
  return parameters.text('user_agent') ?? parameters.text('USER_AGENT');
}

/** In the log of mobile devices the type of a device is its system: ANDROID, IOS, WINDOWS. */
function readDeviceOs(application: string | null, parameters: Parameters): string | null {
  const type = application === 'mobile' ? parameters.text('DEVICE_TYPE') : null;
  return parameters.text('OS_VERSION') ?? parameters.text('DEVICE_PLATFORM') ?? parameters.text('device_os') ?? type;
}

/** Google Meet has the place in parameters. */
function readLocation(networkInfo: Json | undefined, parameters: Parameters): EventLocation | null {
  const { regionCode, subdivisionCode, ipAsn } = toObject(networkInfo);
  const country = toText(regionCode) ?? parameters.text('location_country');
  const region = toText(subdivisionCode) ?? parameters.text('location_region');
  const asn = toInteger(Array.isArray(ipAsn) ? ipAsn[0] : ipAsn);
  return country === null && region === null && asn === null ? null : { ...noLocation, country, region, asn };
}

/** Of sign-ins, tokens and context-aware access. */
function readSignIn(application: string | null, category: string | null, parameters: Parameters): EventSignIn | null {
  const isSignIn =
    application === 'login'
      ? category === 'login' || category === 'account_warning' || parameters.text('login_type') !== null
      : signInApplications.has(application ?? '');
  if (!isSignIn) return null;
  return {
    ...noSignIn,
    authenticationProtocol: parameters.text('login_type'),
    mfaResult: parameters.text('login_challenge_status'),
    riskState: parameters.text('is_suspicious') === 'true' ? 'is_suspicious' : null,
  };
}

function toTarget(resource: Json): EventTarget[] {
  return isObject(resource)
    ? [{ id: toText(resource.id), name: toText(resource.title), type: toText(resource.type) }]
    : [];
}

function readAi(application: string | null, category: string | null, parameters: Parameters): EventAi | null {
  if (category !== 'ai_usage_event' && !(application ?? '').startsWith('gemini')) return null;
  return { ...noAi, host: parameters.text('app_name'), model: parameters.text('model_name') };
}

/** Parameters under their own names, members of the event and its envelope under their paths. */
function listDetails(record: JsonObject, parameters: Parameters): Detail[] {
  const details = [...parameters.values];
  addRemainingMembers(details, toObject(record.events), servedEventMembers);
  addDetail(details, 'id.customerId', toObject(record.id).customerId);
  for (const member of envelopeMembers) addDetail(details, member, record[member], servedEnvelopeMembers[member]);
  return details;
}

/**
 * The members that Google documents, besides the address. Ten thousand events share an envelope: whatever else a sender
 * puts there would be repeated in each row, 300 µs for 8 kB.
 */
const envelopeMembers = ['kind', 'etag', 'actor', 'ownerDomain', 'networkInfo', 'resourceDetails'] as const;
const servedEnvelopeMembers: { readonly [Member in (typeof envelopeMembers)[number]]?: ServedMembers } = {
  actor: { email: true, profileId: true },
  networkInfo: { regionCode: true, subdivisionCode: true },
  resourceDetails: { id: true, title: true, type: true },
};
/** Sensitive parameters are content of prompts and messages: they stay in the raw record. */
const servedEventMembers: ServedMembers = {
  type: true,
  name: true,
  parameters: true,
  sensitiveParameters: true,
  status: { errorCode: true, errorMessage: true },
};
const signInApplications: ReadonlySet<string> = new Set(['saml', 'token', 'context_aware_access']);
