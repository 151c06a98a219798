import type { CompanyPlan } from '../company-plan.ts';
import { fennelOakCompliance } from './fennel-oak-compliance.ts';

export const fennelOak: CompanyPlan = {
  name: 'Fennel & Oak Clinics',
  domain: 'fennel-oak.example',
  azureTenantId: 'e94a2d18-0b7f-4c36-a1d9-5f3e6b72c803',
  city: 'Bristol',
  country: 'GB',
  utcOffsetHours: 0,
  historyCount: 800,
  feeds: ['microsoft365', 'entra', 'google'],
  storyline: 'careless sharing',
  employees: [
    ['Philippa Marsh', 'Management', 'Practice Director'],
    ['Owen Tudor', 'IT', 'IT Lead', 'admin'],
    ['Grace Abara', 'Clinic', 'General Practitioner'],
    ['Henrik Solberg', 'Clinic', 'General Practitioner', 'byod'],
    ['Mei-Lin Chow', 'Clinic', 'Physiotherapist'],
    ['Declan Byrne', 'Clinic', 'Practice Nurse'],
    ['Sadia Rahman', 'Clinic', 'Practice Nurse', 'remote'],
    ['Toby Ashworth', 'Front desk', 'Receptionist'],
    ['Ayesha Malik', 'Front desk', 'Receptionist'],
    ['Gwen Hughes', 'Billing', 'Billing Manager', 'remote'],
    ['Carlos Mendes', 'Billing', 'Billing Clerk'],
  ],
  guests: [['Ursula Krantz', 'avon-pathology.example']],
  sites: [
    {
      name: 'Patients',
      department: 'Clinic',
      files: [
        ['Referral letters.zip', 'Referrals', 'Highly Confidential'],
        ['Vaccination list.xlsx', 'Recalls', 'Highly Confidential'],
        ['Recall template.docx', 'Recalls'],
      ],
    },
    {
      name: 'Practice',
      department: 'Management',
      files: [
        ['Rota.xlsx', 'Planning'],
        ['Supplier contracts.docx', 'Contracts', 'Confidential'],
        ['Fire drill.pdf', 'Safety'],
      ],
    },
  ],
  apps: [
    ['RecallMate', 'RecallMate Ltd', 'thirdParty', 'assistant'],
    ['appointment-sync', 'Fennel & Oak Clinics', 'managedIdentity'],
  ],
  agents: [{ name: 'Rota Assistant', creator: 'Philippa Marsh', platform: 'agentBuilder', site: 'Practice' }],
  teams: [['Clinic', 'General', 'Handover']],
  groups: ['All staff', 'Clinicians'],
  mailSubjects: ['Rota for December', 'Vaccine delivery', 'Handover notes', 'Invoice query', 'Training afternoon'],
  compliance: fennelOakCompliance,
};
