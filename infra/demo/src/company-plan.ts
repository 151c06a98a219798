import type { CompliancePlan } from './compliance-plan.ts';

/** The definition of a fictional company; ids, addresses and devices are derived from it. */
export interface CompanyPlan {
  readonly name: string;
  /** Ends in .example or .test, which are reserved. */
  readonly domain: string;
  readonly azureTenantId: string;
  readonly city: string;
  readonly country: string;
  /** Hours that local time is ahead of UTC. */
  readonly utcOffsetHours: number;
  readonly historyCount: number;
  readonly feeds: readonly Feed[];
  readonly storyline: 'account takeover' | 'password spray' | 'careless sharing';
  readonly employees: readonly PersonPlan[];
  readonly guests: readonly (readonly [name: string, domain: string])[];
  readonly sites: readonly SitePlan[];
  readonly apps: readonly AppPlan[];
  readonly agents: readonly AgentPlan[];
  readonly teams: readonly (readonly [team: string, ...channels: string[]])[];
  readonly groups: readonly string[];
  readonly mailSubjects: readonly string[];
  readonly compliance: CompliancePlan;
}

export type Feed = 'microsoft365' | 'entra' | 'google' | 'okta';

export type PersonPlan = readonly [name: string, department: string, title: string, ...marks: Mark[]];
/** admin: holds an administrator's role · remote: works from home · byod: on an unmanaged computer of their own. */
export type Mark = 'admin' | 'remote' | 'byod';

export interface SitePlan {
  readonly name: string;
  readonly department: string;
  readonly files: readonly FilePlan[];
}

export type FilePlan = readonly [name: string, folder: string, label?: Label];
export type Label = 'Confidential' | 'Highly Confidential';

export type AppPlan = readonly [name: string, publisher: string, kind: AppKind, ai?: AiCategory];
export type AppKind = 'thirdParty' | 'tenantOwned' | 'managedIdentity';
export type AiCategory = 'assistant' | 'agentPlatform' | 'plugin' | 'modelProvider' | 'aiFeature';

export interface AgentPlan {
  readonly name: string;
  readonly creator: string;
  readonly platform: AgentPlatform;
  readonly site: string;
  /** wide: may read everything in the tenant · orphan: has no owner · external: created outside the company · draft · retired */
  readonly marks?: readonly AgentMark[];
}

export type AgentPlatform =
  | 'copilotStudio'
  | 'agentBuilder'
  | 'sharePoint'
  | 'foundry'
  | 'teams'
  | 'microsoft365Copilot'
  | 'other';
export type AgentMark = 'wide' | 'orphan' | 'external' | 'draft' | 'retired';
