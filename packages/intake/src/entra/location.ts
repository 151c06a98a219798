import type { EventLocation } from '@tenantscope/contract';
import { noLocation } from '../activity/event-context.ts';
import { firstText, type Json, toInteger, toNumber, toObject, toText } from '../json/value.ts';

/**
 * The place of a sign-in or a risk: `{city, state, countryOrRegion, geoCoordinates}`, or a country as text. Null where the
 * record names nothing of it.
 *
 * @param riskTypes Entra's names of the risks, of which one says that the address is a proxy's
 */
export function readLocation(
  place: Json | undefined,
  systemNumber: Json | undefined,
  riskTypes: readonly string[] | null,
): EventLocation | null {
  const { city, state, countryOrRegion, geoCoordinates } = toObject(place);
  const { latitude, longitude } = toObject(geoCoordinates);
  const named = { country: firstText(countryOrRegion) ?? toText(place), region: toText(state), city: toText(city) };
  // Of addresses without a place, such as those of AD FS, Entra writes zeros.
  const isPlace =
    named.country !== null || named.region !== null || named.city !== null || !isZero(latitude) || !isZero(longitude);
  const location: EventLocation = {
    ...named,
    latitude: isPlace ? toCoordinate(latitude, 90) : null,
    longitude: isPlace ? toCoordinate(longitude, 180) : null,
    asn: toInteger(systemNumber),
    asOrganization: null,
    isProxy: riskTypes?.some((type) => proxyRisks.has(type)) === true ? true : null,
  };
  for (const name in noLocation) if (location[name as keyof EventLocation] !== null) return location;
  return null;
}

function isZero(value: Json | undefined): boolean {
  return value === undefined || value === null || toNumber(value) === 0;
}

/** Degrees; digits beyond those of a double are lost, which is less than a nanometre. */
function toCoordinate(value: Json | undefined, max: number): number | null {
  const text = toText(value);
  const number = text === null ? Number.NaN : Number(text);
  return Math.abs(number) <= max ? number : null;
}

/** Sign-ins through Tor or an anonymizing network. */
const proxyRisks: ReadonlySet<string> = new Set(['anonymizedIPAddress']);
