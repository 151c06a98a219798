import type { EntityKind } from '@tenantscope/contract';
import type { Chance } from '../chance.ts';
import type { Agent, App, Company, File, Person, Site } from '../company.ts';
import { groupsOf } from '../estate/group-facts.ts';
import { infoTypesOf } from '../info-types.ts';
import type { Subject } from './episode.ts';

export const ofUser = ({ id, displayName }: Person): Subject => ({ type: 'user', id, name: displayName });
export const ofFile = ({ id, name }: File): Subject => ({ type: 'file', id, name });
const ofSite = ({ id, name }: Site): Subject => ({ type: 'site', id, name });
export const ofAgent = ({ id, name }: Agent): Subject => ({ type: 'agent', id, name });
export const ofApp = ({ servicePrincipalId, name }: App): Subject => ({ type: 'app', id: servicePrincipalId, name });

/** Somebody or something of the kind, by the id it has as an entity. */
export function anySubject(company: Company, type: EntityKind, chance: Chance): Subject {
  switch (type) {
    case 'file':
      return ofFile(chance.pick(company.files));
    case 'site':
      return ofSite(chance.pick(company.sites));
    case 'agent':
      return ofAgent(chance.pick(company.agents));
    case 'app':
      return ofApp(chance.pick(company.apps));
    case 'group': {
      const { id, name } = chance.pick(groupsOf(company));
      return { type, id, name };
    }
    case 'device': {
      const { id, name } = chance.pick(company.people.flatMap((person) => person.devices));
      return { type, id, name };
    }
    case 'sensitiveInfoType': {
      const { id, name } = chance.pick(infoTypesOf(company.plan));
      return { type, id, name };
    }
    default:
      return ofUser(chance.pick(company.people));
  }
}
