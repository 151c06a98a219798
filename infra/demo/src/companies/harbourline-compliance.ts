import type { CompliancePlan } from '../compliance-plan.ts';

const [itManager, director, customs] = ['Andrzej Polak', 'Zofia Maliszewska', 'Ruben Castellan'];

/** Just begun: the national law is what counts, and risk of identities was bought but never connected. */
export const harbourlineCompliance: CompliancePlan = {
  frameworks: { ksc: true, nis2: true, gdpr: true, kribsi: true, eu_ai_act: false },
  facts: { publicAuthority: false, financialEntity: false, essentialEntity: true, usesHighRiskAi: false },
  attestations: [
    { duty: 'ai.attest.classification', verdict: 'compliant', by: director, daysAgo: 21, evidence: ['REJESTR-AI-1'] },
    { duty: 'ai.attest.prohibited', verdict: 'compliant', by: director, daysAgo: 21 },
    { duty: 'gov.attest.management_approval', verdict: 'compliant', by: director, daysAgo: 18 },
    { duty: 'gov.attest.security_official', verdict: 'compliant', by: director, daysAgo: 18 },
    {
      duty: 'gov.attest.risk_assessment',
      verdict: 'partial',
      by: itManager,
      daysAgo: 10,
      because: 'Terminals are missing.',
    },
    { duty: 'gov.attest.internal_audit', verdict: 'non_compliant', by: itManager, daysAgo: 9, because: 'None so far.' },
    { duty: 'inc.attest.reporting_procedure', verdict: 'compliant', by: itManager, daysAgo: 350 },
    { duty: 'bcm.attest.backup_tested', verdict: 'compliant', by: itManager, daysAgo: 30, evidence: ['BCM-2026-10'] },
    { duty: 'prv.attest.ropa', verdict: 'compliant', by: itManager, daysAgo: 420, validDays: 365 },
  ],
  exceptions: [
    {
      requirement: 'data.sites.overshared',
      of: { name: 'Finance' },
      because: 'Open to everyone until the new file plan is in use.',
      by: itManager,
      daysAgo: 8,
      validDays: 90,
    },
  ],
  decisions: [
    {
      about: 'app',
      name: 'CargoLens',
      outcome: 'approved',
      by: itManager,
      daysAgo: 30,
      purpose: 'Counts containers on pictures',
      data: ['Pictures'],
    },
    { about: 'agent', name: 'Customs Clerk Assistant', outcome: 'restricted', by: customs, daysAgo: 14 },
  ],
  riskClasses: [
    ['Customs Clerk Assistant', 'transparency'],
    ['Roster Planner', 'minimal'],
  ],
  assignments: [{ about: 'app', name: 'CargoLens', to: 'Bartosz Wilk', by: itManager, daysAgo: 30 }],
  sources: [
    { name: 'agents/copilotPackages', isEnabled: true, isLicensed: true, importedHoursAgo: 4 },
    { name: 'user_risk', isEnabled: false, isLicensed: true, importedHoursAgo: null },
    { name: 'agent_risk', isEnabled: false, isLicensed: true, importedHoursAgo: null },
    { name: 'sensitive_info_types', isEnabled: true, isLicensed: true, importedHoursAgo: 52 },
  ],
  score: { from: 41, to: 44 },
  isOff: ['policy-app-credentials', 'policy-dormant-users'],
  reviewedOfTen: 3,
};
