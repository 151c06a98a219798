import { fennelOak } from './companies/fennel-oak.ts';
import { harbourline } from './companies/harbourline.ts';
import { larkspur } from './companies/larkspur.ts';
import { type Company, companyOf } from './company.ts';

/** A company of the demonstration, as it is entered as a tenant. */
export interface DemoTenant {
  readonly name: string;
  readonly azureTenantId: string;
  /** How many records of history make a lively first look. */
  readonly historyCount: number;
  readonly company: Company;
}

export const demoTenants: readonly DemoTenant[] = [larkspur, harbourline, fennelOak].map((plan) => ({
  name: plan.name,
  azureTenantId: plan.azureTenantId,
  historyCount: plan.historyCount,
  company: companyOf(plan),
}));
