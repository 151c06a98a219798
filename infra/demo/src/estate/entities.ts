import type { DemoState } from '../demo-state.ts';
import { infoTypesOf } from '../info-types.ts';
import { agentState, retirementOf } from './agents.ts';
import { appState, firstPartyStates } from './apps.ts';
import { assignments } from './assignments.ts';
import { deviceState } from './devices.ts';
import { emailState } from './emails.ts';
import { fileState, oddFiles } from './files.ts';
import { groupsOf } from './group-facts.ts';
import { groupState } from './groups.ts';
import { licensesOf } from './license-facts.ts';
import { licenseState } from './licenses.ts';
import type { Picture } from './picture.ts';
import { infoTypeState } from './sensitive-info-types.ts';
import { allSitesOf, siteState } from './sites.ts';
import { formerUser, userState } from './users.ts';

/** Everything a company consists of, those first that others refer to. */
export function* entitiesOf(picture: Picture): Generator<DemoState> {
  const { company, mails } = picture;
  for (const app of company.apps) yield appState(picture, app);
  yield* firstPartyStates(picture);
  for (const person of [...company.people, ...company.guests]) {
    yield userState(picture, person);
    for (const device of person.devices) yield deviceState(picture, device, person);
  }
  yield* formerUser(picture);
  for (const group of groupsOf(company)) yield groupState(picture, group);
  for (const site of allSitesOf(company)) yield siteState(picture, site);
  for (const agent of company.agents) {
    const state = agentState(picture, agent);
    yield state;
    if (agent.marks.includes('retired')) yield retirementOf(state);
  }
  yield* assignments(picture);
  for (const file of company.files) yield fileState(picture, file);
  yield* oddFiles(picture);
  for (const mail of mails) yield emailState(picture, mail);
  for (const license of licensesOf(company)) yield licenseState(picture, license);
  for (const type of infoTypesOf(company.plan)) yield infoTypeState(picture, type);
}
