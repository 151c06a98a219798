import { guidOf, numberOf } from '../chance.ts';
import type { Company, Person } from '../company.ts';
import { remembered } from '../remembered.ts';

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly kind: 'team' | 'department' | 'list';
  readonly members: readonly Person[];
}

/** A company's groups: its teams, one for each department by a rule, and those somebody made. */
export const groupsOf = remembered((company: Company): readonly Group[] => {
  const { plan, people, guests } = company;
  const id = (name: string) => guidOf(plan.azureTenantId, 'group', name);
  const departments = [...new Set(people.map((person) => person.department ?? ''))];
  return [
    ...plan.teams.map(
      ([name]): Group => ({
        id: id(`team ${name}`),
        name,
        kind: 'team',
        members: [...some(people, name, 2), ...some(guests, name, 4)],
      }),
    ),
    ...departments.map(
      (department): Group => ({
        id: id(`department ${department}`),
        name: `Department ${department}`,
        kind: 'department',
        members: people.filter((person) => person.department === department),
      }),
    ),
    ...plan.groups.map(
      (name): Group => ({
        id: id(name),
        name,
        kind: 'list',
        members: name.startsWith('All ')
          ? people
          : [...some(people, name, 5), ...(name.startsWith('External') ? guests : [])],
      }),
    ),
  ];
});

/** The same members every time, about one of `of`. */
function some(people: readonly Person[], name: string, of: number): readonly Person[] {
  return people.filter((person) => numberOf(of, person.id, name) === 0);
}
