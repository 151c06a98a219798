import { fennelOak } from './companies/fennel-oak.ts';
import { harbourline } from './companies/harbourline.ts';
import { larkspur } from './companies/larkspur.ts';
import { type Company, createCompany } from './company.ts';

/** A demo company, as registered as a tenant. */
export interface DemoTenant {
  readonly name: string;
  readonly azureTenantId: string;
  /** The number of history records for a realistic first impression. */
  readonly historyCount: number;
  readonly company: Company;
}

export const demoTenants: readonly DemoTenant[] = [larkspur, harbourline, fennelOak].map((plan) => ({
  name: plan.name,
  azureTenantId: plan.azureTenantId,
  historyCount: plan.historyCount,
  company: createCompany(plan),
}));
