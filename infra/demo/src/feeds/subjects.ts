import type { EntityKind } from '@tenantscope/contract';
import type { Agent, App, Company, File, Person, Site } from '../company.ts';
import { listInfoTypes } from '../info-types.ts';
import { listGroups } from '../inventory/group-list.ts';
import type { Random } from '../random.ts';
import type { Subject } from './episode.ts';

export const userSubject = ({ id, displayName }: Person): Subject => ({ type: 'user', id, name: displayName });
export const fileSubject = ({ id, name }: File): Subject => ({ type: 'file', id, name });
const siteSubject = ({ id, name }: Site): Subject => ({ type: 'site', id, name });
export const agentSubject = ({ id, name }: Agent): Subject => ({ type: 'agent', id, name });
export const appSubject = ({ servicePrincipalId, name }: App): Subject => ({
  type: 'app',
  id: servicePrincipalId,
  name,
});

/** Chooses an entity of the kind, with its entity id. */
export function chooseSubject(company: Company, type: EntityKind, random: Random): Subject {
  switch (type) {
    case 'file':
      return fileSubject(random.pick(company.files));
    case 'site':
      return siteSubject(random.pick(company.sites));
    case 'agent':
      return agentSubject(random.pick(company.agents));
    case 'app':
      return appSubject(random.pick(company.apps));
    case 'group': {
      const { id, name } = random.pick(listGroups(company));
      return { type, id, name };
    }
    case 'device': {
      const { id, name } = random.pick(company.employees.flatMap((person) => person.devices));
      return { type, id, name };
    }
    case 'sensitiveInfoType': {
      const { id, name } = random.pick(listInfoTypes(company.plan));
      return { type, id, name };
    }
    default:
      return userSubject(random.pick(company.employees));
  }
}
