import { guidOf, numberOf } from './chance.ts';
import type { AgentMark, AgentPlatform, AiCategory, AppKind, CompanyPlan, Label, PersonPlan } from './company-plan.ts';
import { companyLaptop, type Device, ownComputer, phone } from './devices.ts';

export interface Person {
  readonly id: string;
  readonly displayName: string;
  readonly userPrincipalName: string;
  readonly department: string | null;
  readonly title: string | null;
  /** The identifier older Microsoft records know a person by: 16 hexadecimal digits. */
  readonly puid: string;
  readonly mailboxGuid: string;
  readonly googleProfileId: string;
  readonly oktaId: string;
  readonly isAdmin: boolean;
  readonly isGuest: boolean;
  readonly isRemote: boolean;
  /** The tenant a guest comes from; their own tenant's for everybody else. */
  readonly homeTenantId: string;
  readonly homeAddress: string;
  readonly devices: readonly Device[];
}

export interface Site {
  readonly id: string;
  readonly webId: string;
  readonly listId: string;
  readonly name: string;
  readonly url: string;
  readonly department: string;
}

export interface File {
  readonly id: string;
  readonly name: string;
  readonly extension: string;
  readonly folder: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly label: Label | null;
  readonly labelId: string | null;
  readonly site: Site;
  readonly workload: 'SharePoint' | 'OneDrive';
}

export interface App {
  readonly appId: string;
  readonly servicePrincipalId: string;
  readonly name: string;
  readonly publisher: string;
  readonly kind: AppKind;
  readonly aiCategory: AiCategory | null;
  readonly address: string;
}

export interface Agent {
  readonly id: string;
  readonly appId: string;
  readonly servicePrincipalId: string;
  readonly name: string;
  readonly platform: AgentPlatform;
  readonly marks: readonly AgentMark[];
  readonly creator: Person;
  readonly files: readonly File[];
}

/** Everybody and everything a company's records speak of. The same plan always gives the same ids. */
export interface Company {
  readonly plan: CompanyPlan;
  readonly people: readonly Person[];
  readonly admins: readonly Person[];
  readonly guests: readonly Person[];
  readonly sites: readonly Site[];
  readonly files: readonly File[];
  readonly apps: readonly App[];
  readonly agents: readonly Agent[];
  readonly officeAddress: string;
  readonly sharePointHost: string;
}

export function companyOf(plan: CompanyPlan): Company {
  const people = plan.people.map((person) => employee(plan, person));
  const guests = plan.guests.map(([name, domain]) => guest(plan, name, domain));
  const sites = plan.sites.map(({ name, department }) => siteOf(plan, name, department));
  const shared = plan.sites.flatMap(({ name, files }, index) =>
    files.map(([file, folder, label]) => fileOf(plan, sites[index] ?? missing(name), file, folder, label ?? null)),
  );
  const personal = people.flatMap((person) => {
    const site = personalSite(plan, person);
    return personalFiles.map((file) => fileOf(plan, site, file, 'Documents', null));
  });
  return {
    plan,
    people,
    guests,
    sites,
    admins: people.filter((person) => person.isAdmin),
    files: [...shared, ...personal],
    apps: plan.apps.map(([name, publisher, kind, aiCategory]) => ({
      name,
      publisher,
      kind,
      aiCategory: aiCategory ?? null,
      appId: guidOf(plan.azureTenantId, 'app', name),
      servicePrincipalId: guidOf(plan.azureTenantId, 'service principal', name),
      address: `198.51.100.${200 + numberOf(50, name)}`,
    })),
    agents: plan.agents.map((agent) => ({
      name: agent.name,
      platform: agent.platform,
      marks: agent.marks ?? [],
      id: guidOf(plan.azureTenantId, 'agent', agent.name),
      appId: guidOf(plan.azureTenantId, 'agent app', agent.name),
      servicePrincipalId: guidOf(plan.azureTenantId, 'agent service principal', agent.name),
      creator: personNamed(people, agent.creator),
      files: shared.filter((file) => file.site.name === agent.site),
    })),
    officeAddress: `192.0.2.${1 + numberOf(250, plan.name)}`,
    sharePointHost: sharePointHost(plan),
  };
}

const personalFiles = ['Notes.docx', 'Draft.docx', 'To do.xlsx'];

/** The person of this name; a storyline that names nobody is a slip in the plan. */
export function personNamed(people: readonly Person[], name: string): Person {
  return people.find((person) => person.displayName === name) ?? missing(name);
}

function employee(plan: CompanyPlan, [name, department, title, ...marks]: PersonPlan): Person {
  const upn = `${mailName(name)}@${plan.domain}`;
  const computer = marks.includes('byod') ? ownComputer(upn, name) : companyLaptop(upn, plan.name);
  return {
    ...identity(plan, name, upn),
    department,
    title,
    isAdmin: marks.includes('admin'),
    isGuest: false,
    isRemote: marks.includes('remote'),
    homeTenantId: plan.azureTenantId,
    devices: numberOf(2, upn, 'has a phone') === 0 ? [computer] : [computer, phone(upn, name)],
  };
}

function guest(plan: CompanyPlan, name: string, domain: string): Person {
  const home = `${mailName(name)}@${domain}`;
  return {
    ...identity(plan, name, `${home.replace('@', '_')}#EXT#@${plan.domain}`),
    department: null,
    title: null,
    isAdmin: false,
    isGuest: true,
    isRemote: true,
    homeTenantId: guidOf('home tenant', domain),
    devices: [ownComputer(home, name)],
  };
}

function identity(plan: CompanyPlan, displayName: string, userPrincipalName: string) {
  const names = [plan.azureTenantId, userPrincipalName];
  return {
    id: guidOf(...names, 'user'),
    displayName,
    userPrincipalName,
    puid: `1003200${guidOf(...names, 'puid')
      .replaceAll('-', '')
      .slice(0, 9)
      .toUpperCase()}`,
    mailboxGuid: guidOf(...names, 'mailbox'),
    googleProfileId: String(10n ** 20n + BigInt(numberOf(10 ** 12, ...names, 'google'))),
    oktaId: `00u${guidOf(...names, 'okta')
      .replaceAll('-', '')
      .slice(0, 17)}`,
    homeAddress: `198.51.100.${1 + numberOf(190, ...names, 'home')}`,
  };
}

function siteOf(plan: CompanyPlan, name: string, department: string): Site {
  return site(plan, name, department, `https://${sharePointHost(plan)}/sites/${name.replaceAll(' ', '')}`);
}

function personalSite(plan: CompanyPlan, person: Person): Site {
  const account = person.userPrincipalName.replaceAll(/[@.]/g, '_');
  const url = `https://${sharePointHost(plan).replace('.', '-my.')}/personal/${account}`;
  return site(plan, person.displayName, person.department ?? '', url);
}

function site(plan: CompanyPlan, name: string, department: string, url: string): Site {
  const [id, webId, listId] = ['site', 'web', 'list'].map((part) => guidOf(plan.azureTenantId, part, url)) as [
    string,
    string,
    string,
  ];
  return { id, webId, listId, name, url, department };
}

function fileOf(plan: CompanyPlan, site: Site, name: string, folder: string, label: Label | null): File {
  const isPersonal = site.url.includes('/personal/');
  return {
    id: guidOf(plan.azureTenantId, 'file', site.url, name),
    name,
    extension: name.slice(name.lastIndexOf('.') + 1),
    folder: isPersonal ? folder : `Shared Documents/${folder}`,
    url: `${site.url}/${isPersonal ? '' : 'Shared Documents/'}${folder}/${name}`,
    sizeBytes: 4_000 + numberOf(4_000_000, site.url, name),
    label,
    labelId: label === null ? null : guidOf(plan.azureTenantId, 'label', label),
    site,
    workload: isPersonal ? 'OneDrive' : 'SharePoint',
  };
}

function sharePointHost(plan: CompanyPlan): string {
  return `${plan.domain.slice(0, plan.domain.indexOf('.'))}.sharepoint.test`;
}

function mailName(name: string): string {
  return name.toLowerCase().replaceAll(' ', '.');
}

function missing(name: string): never {
  throw new Error(`the plan names nobody and nothing called ${name}`);
}
