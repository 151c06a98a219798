import type { Activity, ActivityContext } from './activity.ts';
import type { Company, Person } from './company.ts';
import type { Device } from './devices.ts';
import type { Random } from './random.ts';

/** Chooses the user of an activity, one of their devices, and the source address. */
export function chooseActor(
  activity: Pick<Activity, 'by'>,
  company: Company,
  random: Random,
  atMs: number,
): ActivityContext {
  const person = random.pick(listCandidates(activity.by, company));
  const device = random.pick(person.devices);
  return { company, random, atMs, person, device, address: chooseAddress(company, random, person, device) };
}

function listCandidates(by: Activity['by'], company: Company): readonly Person[] {
  switch (by) {
    case 'admin':
      return company.admins;
    case 'guest':
      return company.guests;
    case 'anyone':
      return company.employees;
  }
}

function chooseAddress(company: Company, random: Random, person: Person, device: Device): string {
  // A phone is on the IPv6 network of its mobile operator.
  if (device.isManaged === null)
    return `2001:db8:${person.puid.slice(-4).toLowerCase()}::${random.between(1, 40).toString(16)}`;
  return person.isRemote || random.bool(0.1) ? person.homeAddress : company.officeAddress;
}
