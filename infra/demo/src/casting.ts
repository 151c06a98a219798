import type { Chance } from './chance.ts';
import type { Company, Person } from './company.ts';
import type { Device } from './devices.ts';
import type { Activity, Scene } from './scene.ts';

/** Chooses who does it, on which of their devices, and where they are. */
export function cast(activity: Pick<Activity, 'by'>, company: Company, chance: Chance, atMs: number): Scene {
  const person = chance.pick(candidates(activity.by, company));
  const device = chance.pick(person.devices);
  return { company, chance, atMs, person, device, address: addressOf(company, chance, person, device) };
}

function candidates(by: Activity['by'], company: Company): readonly Person[] {
  switch (by) {
    case 'admin':
      return company.admins;
    case 'guest':
      return company.guests;
    case 'anyone':
      return company.people;
  }
}

function addressOf(company: Company, chance: Chance, person: Person, device: Device): string {
  // A phone roams: its operator's network is IPv6.
  if (device.isManaged === null)
    return `2001:db8:${person.puid.slice(-4).toLowerCase()}::${chance.between(1, 40).toString(16)}`;
  return person.isRemote || chance.is(0.1) ? person.homeAddress : company.officeAddress;
}
