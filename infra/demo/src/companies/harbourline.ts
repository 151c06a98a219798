import type { CompanyPlan } from '../company-plan.ts';
import { harbourlineCompliance } from './harbourline-compliance.ts';

export const harbourline: CompanyPlan = {
  name: 'Harbourline Freight',
  domain: 'harbourline.example',
  azureTenantId: 'b1e7f0a4-6c2d-4d85-8b3e-7a90c5d1e302',
  city: 'Gdynia',
  country: 'PL',
  utcOffsetHours: 1,
  historyCount: 1_500,
  feeds: ['microsoft365', 'entra', 'google', 'okta'],
  storyline: 'password spray',
  employees: [
    ['Zofia Maliszewska', 'Board', 'Managing Director'],
    ['Andrzej Polak', 'IT', 'IT Manager', 'admin'],
    ['Kinga Zalewska', 'IT', 'Systems Administrator', 'admin', 'remote'],
    ['Bartosz Wilk', 'Dispatch', 'Head of Dispatch'],
    ['Magda Sikora', 'Dispatch', 'Dispatcher'],
    ['Olek Nowicki', 'Dispatch', 'Dispatcher', 'byod'],
    ['Hanna Grabowska', 'Dispatch', 'Night Dispatcher'],
    ['Ruben Castellan', 'Customs', 'Customs Broker', 'remote'],
    ['Ewa Jablonska', 'Customs', 'Customs Clerk'],
    ['Piotr Rutkowski', 'Fleet', 'Fleet Manager'],
    ['Dagmara Wrona', 'Fleet', 'Maintenance Planner'],
    ['Lukas Behrens', 'Sales', 'Key Account Manager', 'remote'],
    ['Iga Stolarz', 'Sales', 'Quotation Clerk'],
    ['Marek Dudek', 'Finance', 'Financial Controller'],
    ['Nadia Kurowska', 'Finance', 'Billing Clerk'],
    ['Tadeusz Lis', 'People', 'People Manager'],
  ],
  guests: [
    ['Ingrid Holm', 'nordkai-terminals.example'],
    ['Petr Novak', 'moravia-rail.example'],
  ],
  sites: [
    {
      name: 'Dispatch',
      department: 'Dispatch',
      files: [
        ['Sailing schedule.xlsx', 'Plans'],
        ['Driver roster.xlsx', 'Plans', 'Confidential'],
        ['Dangerous goods declarations.zip', 'Papers', 'Confidential'],
        ['Terminal contacts.docx', 'Papers'],
      ],
    },
    {
      name: 'Customs',
      department: 'Customs',
      files: [
        ['Tariff table.xlsx', 'Reference'],
        ['Declarations November.xlsx', 'Declarations', 'Confidential'],
        ['Guarantee letters.pdf', 'Guarantees', 'Highly Confidential'],
      ],
    },
    {
      name: 'Finance',
      department: 'Finance',
      files: [
        ['Open invoices.xlsx', 'Billing', 'Confidential'],
        ['Fuel surcharges.xlsx', 'Rates'],
        ['Payroll.xlsx', 'Pay', 'Highly Confidential'],
      ],
    },
  ],
  apps: [
    ['CargoLens', 'CargoLens BV', 'thirdParty', 'aiFeature'],
    ['Route Optimiser', 'Harbourline Freight', 'tenantOwned'],
    ['telematics-import', 'Harbourline Freight', 'managedIdentity'],
  ],
  agents: [
    { name: 'Customs Clerk Assistant', creator: 'Ruben Castellan', platform: 'copilotStudio', site: 'Customs' },
    { name: 'Roster Planner', creator: 'Bartosz Wilk', platform: 'agentBuilder', site: 'Dispatch' },
  ],
  teams: [
    ['Dispatch', 'General', 'Night shift'],
    ['Customs', 'General'],
  ],
  groups: ['All staff', 'Dispatchers', 'Customs brokers'],
  mailSubjects: [
    'Delay of MV Perkoz',
    'Container released at Gdynia',
    'Roster for next week',
    'Customs hold on 40 pallets',
    'Fuel surcharge December',
    'Quotation Gdynia to Brno',
  ],
  compliance: harbourlineCompliance,
};
