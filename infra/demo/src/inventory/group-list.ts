import type { Company, Person } from '../company.ts';
import { memoize } from '../memoize.ts';
import { deriveGuid, deriveNumber } from '../random.ts';

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly kind: 'team' | 'department' | 'list';
  readonly members: readonly Person[];
}

/** A company's groups: its teams, a dynamic group per department, and manually created groups. */
export const listGroups = memoize((company: Company): readonly Group[] => {
  const { plan, employees, guests } = company;
  const id = (name: string) => deriveGuid(plan.azureTenantId, 'group', name);
  const departments = [...new Set(employees.map((person) => person.department ?? ''))];
  return [
    ...plan.teams.map(
      ([name]): Group => ({
        id: id(`team ${name}`),
        name,
        kind: 'team',
        members: [...pickMembers(employees, name, 2), ...pickMembers(guests, name, 4)],
      }),
    ),
    ...departments.map(
      (department): Group => ({
        id: id(`department ${department}`),
        name: `Department ${department}`,
        kind: 'department',
        members: employees.filter((person) => person.department === department),
      }),
    ),
    ...plan.groups.map(
      (name): Group => ({
        id: id(name),
        name,
        kind: 'list',
        members: name.startsWith('All ')
          ? employees
          : [...pickMembers(employees, name, 5), ...(name.startsWith('External') ? guests : [])],
      }),
    ),
  ];
});

/** Picks about one of `of` candidates, always the same ones. */
function pickMembers(candidates: readonly Person[], name: string, of: number): readonly Person[] {
  return candidates.filter((person) => deriveNumber(of, person.id, name) === 0);
}
