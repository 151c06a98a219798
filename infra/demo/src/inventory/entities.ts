import type { DemoState } from '../demo-state.ts';
import { listInfoTypes } from '../info-types.ts';
import { createAgentState, createRetirement } from './agents.ts';
import { createAppState, createFirstPartyStates } from './apps.ts';
import { generateAssignments } from './assignments.ts';
import { createDeviceState } from './devices.ts';
import { createEmailState } from './emails.ts';
import { createFileState, createUnusualFiles } from './files.ts';
import { listGroups } from './group-list.ts';
import { createGroupState } from './groups.ts';
import type { InventorySnapshot } from './inventory-snapshot.ts';
import { listLicenses } from './license-list.ts';
import { createLicenseState } from './licenses.ts';
import { createInfoTypeState } from './sensitive-info-types.ts';
import { createSiteState, listSites } from './sites.ts';
import { createFormerUser, createUserState } from './users.ts';

/** The inventory of a company, in order of references. */
export function* generateEntities(snapshot: InventorySnapshot): Generator<DemoState> {
  const { company, mails } = snapshot;
  for (const app of company.apps) yield createAppState(snapshot, app);
  yield* createFirstPartyStates(snapshot);
  for (const person of [...company.employees, ...company.guests]) {
    yield createUserState(snapshot, person);
    for (const device of person.devices) yield createDeviceState(snapshot, device, person);
  }
  yield* createFormerUser(snapshot);
  for (const group of listGroups(company)) yield createGroupState(snapshot, group);
  for (const site of listSites(company)) yield createSiteState(snapshot, site);
  for (const agent of company.agents) {
    const state = createAgentState(snapshot, agent);
    yield state;
    if (agent.marks.includes('retired')) yield createRetirement(state);
  }
  yield* generateAssignments(snapshot);
  for (const file of company.files) yield createFileState(snapshot, file);
  yield* createUnusualFiles(snapshot);
  for (const mail of mails) yield createEmailState(snapshot, mail);
  for (const license of listLicenses(company)) yield createLicenseState(snapshot, license);
  for (const type of listInfoTypes(company.plan)) yield createInfoTypeState(snapshot, type);
}
