import type { CompliancePlan } from '../compliance-plan.ts';

const [director, headOfIt] = ['Philippa Marsh', 'Owen Tudor'];

/** Small and careful: little was asked of it, and most of that was done. */
export const fennelOakCompliance: CompliancePlan = {
  frameworks: { gdpr: true, iso_27001: true, hipaa: false },
  facts: { publicAuthority: false, financialEntity: false },
  attestations: [
    { duty: 'prv.attest.ropa', verdict: 'compliant', by: director, daysAgo: 64 },
    { duty: 'prv.attest.dpia', verdict: 'compliant', by: director, daysAgo: 64, evidence: ['DPIA-PATIENTS'] },
    { duty: 'prv.attest.retention', verdict: 'compliant', by: director, daysAgo: 350 },
    { duty: 'hr.attest.awareness', verdict: 'compliant', by: director, daysAgo: 90 },
    {
      duty: 'prv.attest.transfers',
      verdict: 'not_applicable',
      by: director,
      daysAgo: 64,
      because: 'All providers keep what we give them in the country.',
    },
    { duty: 'gov.attest.security_official', verdict: 'compliant', by: director, daysAgo: 200 },
  ],
  exceptions: [
    {
      requirement: 'data.labels.coverage',
      of: { name: 'Fire drill*' },
      because: 'The form has no data of patients; the detector takes its sample number for one.',
      by: headOfIt,
      daysAgo: 30,
      validDays: 365,
    },
  ],
  decisions: [
    {
      about: 'app',
      name: 'RecallMate',
      outcome: 'restricted',
      by: director,
      daysAgo: 25,
      purpose: 'Reminders of vaccinations',
      data: ['Names', 'Dates'],
    },
  ],
  riskClasses: [['Rota Assistant', 'minimal']],
  assignments: [{ about: 'app', name: 'RecallMate', to: 'Owen Tudor', by: headOfIt, daysAgo: 25 }],
  sources: [
    { name: 'agents/copilotPackages', isEnabled: true, isLicensed: true, importedHoursAgo: 5 },
    { name: 'user_risk', isEnabled: false, isLicensed: false, importedHoursAgo: null },
    { name: 'agent_risk', isEnabled: false, isLicensed: false, importedHoursAgo: null },
    { name: 'sensitive_info_types', isEnabled: true, isLicensed: true, importedHoursAgo: 20 },
  ],
  score: null,
  isOff: [],
  reviewedOfTen: 10,
};
