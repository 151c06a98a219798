import type { Actor } from './activity.ts';

/** A name of an account without what a product puts around it. */
export interface AccountName {
  /** Without the prefix of a product. */
  readonly account: string;
  /** The person's own address, where the account is a guest's. */
  readonly name: string;
  readonly isGuest: boolean;
}

/**
 * Reads the spellings of SharePoint's claims (`i:0#.f|membership|…`) and of guests (`urn:spo:guest#eve@home.example`, also
 * percent-encoded; `live.com#eve@home.example`; `eve_home.example#EXT#@contoso.example`). Null for any other name.
 */
export function readAccountName(text: string): AccountName | null {
  // Cheaper than the expressions below: nearly all names have none of these characters.
  if (!text.includes('#') && !text.includes('|') && !text.includes('%')) return null;
  const claim = membershipClaim.exec(text)?.[1];
  const spelled = claim ?? text;
  const decoded = encodedPrefix.test(spelled) ? spelled.replace(/%3a/gi, ':').replace(/%23/g, '#') : spelled;
  const address = guestPrefix.exec(decoded)?.[1];
  if (address !== undefined) return { account: address, name: address, isGuest: true };
  const end = decoded.toLowerCase().indexOf('#ext#');
  if (end > 0) return { account: decoded, name: toHomeAddress(decoded.slice(0, end)), isGuest: true };
  return claim === undefined ? null : { account: claim, name: claim, isGuest: false };
}

/** The directory writes the home address of a guest with an underscore for its at sign. */
function toHomeAddress(local: string): string {
  const at = local.lastIndexOf('_');
  return at < 1 || local.includes('@') ? local : `${local.slice(0, at)}@${local.slice(at + 1)}`;
}

/** Gives an actor the name and id without the spellings above; whom they show to be a guest is one. */
export function normaliseActor(actor: Actor): Actor {
  const named = actor.name === null ? null : readAccountName(actor.name);
  const identified = actor.id === null ? null : readAccountName(actor.id);
  if (named === null && identified === null) return actor;
  const isGuest = named?.isGuest === true || identified?.isGuest === true;
  return {
    id: identified?.account ?? actor.id,
    name: named?.name ?? actor.name,
    type: isGuest && (actor.type === 'user' || actor.type === 'unknown') ? 'guest' : actor.type,
    account: named?.account ?? null,
  };
}

const membershipClaim = /^i:0[h#]\.f\|membership\|(.+)$/i;
const encodedPrefix = /^urn%3aspo%3aguest(?:#|%23)/i;
const guestPrefix = /^(?:urn:spo:guest|live\.com)#(.+)$/i;
