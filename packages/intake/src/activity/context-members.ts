import {
  type AuditLogEvent,
  changesMax,
  changeTextMax,
  type EventAi,
  type EventChange,
  type EventLocation,
  type EventSignIn,
  type EventThreat,
  targetsMax,
} from '@tenantscope/contract';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { isMaskedName, isSwitch, maskedText } from '../field/mask-secrets.ts';
import type { EventContext } from './event-context.ts';
import type { TextLimiter } from './text-limiter.ts';

/** Characters of a text that is shown but not compared by filters. */
const textMax = 1_024;
/** Elements of lists inside of `signIn` and `ai`. */
const listMax = 32;

type Before = 'recordType' | 'category' | 'errorCode' | 'outcomeReason' | 'sessionId' | 'correlationId' | 'userAgent';
type Members = Pick<AuditLogEvent, Before | 'deviceOs' | 'location' | 'actorUserId' | 'signIn' | 'targets' | 'changes'>;

/** The members of a row from recordType to changes, in the contract's order. */
export function buildContext(
  context: EventContext,
  actorUserId: string | null,
  limiter: TextLimiter,
  keyMax: number,
): Members {
  return {
    recordType: limiter.shorten(context.recordType, keyMax),
    category: limiter.shorten(context.category, keyMax),
    errorCode: limiter.shorten(context.errorCode, keyMax),
    outcomeReason: limiter.shorten(maskSecrets(context.outcomeReason), textMax),
    sessionId: limiter.shorten(context.sessionId, keyMax),
    correlationId: limiter.shorten(context.correlationId, keyMax),
    userAgent: limiter.shorten(context.userAgent, textMax),
    deviceOs: limiter.shorten(context.deviceOs, textMax),
    location: limitTexts<EventLocation>(context.location, limiter),
    actorUserId: limiter.shorten(actorUserId, keyMax),
    signIn: limitTexts<EventSignIn>(context.signIn, limiter),
    targets: buildList(context.targets, targetsMax, limiter, ({ id, name, type }) => ({
      id: limiter.shorten(maskSecrets(id), keyMax),
      name: limiter.shorten(maskSecrets(name), textMax),
      type: limiter.shorten(type, keyMax),
    })),
    changes: buildList(context.changes, changesMax, limiter, (change) => buildChange(change, limiter)),
  };
}

/** The members after details. */
export function buildVerdicts(
  { threat, ai }: EventContext,
  limiter: TextLimiter,
): Pick<AuditLogEvent, 'threat' | 'ai' | 'truncated'> {
  const members = {
    threat: limitTexts<EventThreat>(threat, limiter),
    ai: ai && limitTexts<EventAi>({ ...ai, resources: limitResources(ai.resources, limiter) }, limiter),
  };
  return { ...members, truncated: limiter.isTruncated };
}

function buildChange({ name, before, after }: EventChange, limiter: TextLimiter): EventChange {
  const isSecret = name !== null && isMaskedName(name);
  const show = (value: string | null) =>
    value === null
      ? null
      : isSecret && !isSwitch(value)
        ? maskedText
        : limiter.truncate(maskSecretText(limiter.truncate(value, changeTextMax)), changeTextMax);
  return { name: limiter.truncate(name, changeTextMax), before: show(before), after: show(after) };
}

/** Null for an empty list. */
function buildList<Element>(
  elements: readonly Element[],
  limit: number,
  limiter: TextLimiter,
  build: (element: Element) => Element,
): Element[] | null {
  return elements.length === 0 ? null : limiter.take(elements, limit).map(build);
}

function limitResources(resources: EventAi['resources'], limiter: TextLimiter): EventAi['resources'] {
  const limited =
    resources && limiter.take(resources, listMax).flatMap((each) => limitTexts(maskResource(each), limiter) ?? []);
  return limited?.length === 0 ? null : limited;
}

function maskResource<Resource extends { readonly id: string | null; readonly name: string | null }>(
  resource: Resource,
): Resource {
  return { ...resource, id: maskSecrets(resource.id), name: maskSecrets(resource.name) };
}

/** Addresses of resources may contain signatures and tokens. */
export function maskSecrets(text: string | null): string | null {
  return text === null ? null : maskSecretText(text);
}

/**
 * Shortens the members that are texts or lists of texts; others are left as they are. Null where every member is. The value
 * itself where nothing is to be shortened, as in nearly all records.
 */
function limitTexts<Value extends object>(value: Value | null, limiter: TextLimiter): Value | null {
  if (value === null) return null;
  let limited: Value | null = null;
  let isEmpty = true;
  for (const name in value) {
    const member = value[name];
    if (member === null) continue;
    isEmpty = false;
    const shown = limitMember(member, limiter);
    if (shown === member) continue;
    limited ??= { ...value };
    limited[name] = shown;
  }
  return isEmpty ? null : (limited ?? value);
}

function limitMember<Member>(member: Member, limiter: TextLimiter): Member {
  if (typeof member === 'string') return limiter.shorten<string>(member, textMax) as Member;
  if (!Array.isArray(member)) return member;
  return limiter
    .take<unknown>(member, listMax)
    .map((each) => (typeof each === 'string' ? limiter.shorten<string>(each, textMax) : each)) as Member;
}
