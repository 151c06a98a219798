import { guidOf, numberOf } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { dayMs, namedState } from './compliance-state.ts';
import { type Control, controls } from './score-controls.ts';

const days = 90;

/** The vendor's score of each of ninety days, the newest with what it is made of. It dipped when something went wrong. */
export function* securityScores(company: Company, endMs: number, storyMs: number): Generator<DemoState> {
  const { score } = company.plan.compliance;
  if (score === null) return;
  const lastMs = endMs - (endMs % dayMs);
  for (let day = days - 1; day >= 0; day -= 1) {
    const atMs = lastMs - day * dayMs;
    const dip = atMs > storyMs ? 1.5 : 0;
    const share = (score.from + ((score.to - score.from) * (days - 1 - day)) / (days - 1) - dip) / 100;
    yield scoreOf(company, atMs, share, day === 0);
  }
}

function scoreOf({ plan, people }: Company, atMs: number, share: number, isNewest: boolean): DemoState {
  const date = shown(atMs).slice(0, '2026-11-21'.length);
  const scored = controls.map((control) => ({ control, score: pointsOf(plan.azureTenantId, control, share) }));
  const currentScore = rounded(scored.reduce((sum, { score }) => sum + score, 0));
  return namedState('securityScore', guidOf(plan.azureTenantId, 'security score', date), atMs, {
    createdDateTime: shown(atMs),
    currentScore,
    maxScore: controls.reduce((sum, { points }) => sum + points, 0),
    licensedUserCount: people.length,
    activeUserCount: people.length - 1,
    enabledServices: ['HasExchange', 'HasSharePoint', 'HasTeams', 'HasAADP2'],
    vendorInformation: { vendor: 'Microsoft', provider: 'SecureScore' },
    averageComparativeScores: [
      { basis: 'AllTenants', averageScore: 47.1 },
      { basis: 'TotalSeats', averageScore: 52.8 },
    ],
    controlScores: scored.map(({ control, score }) => ({
      controlName: control.id,
      controlCategory: control.category,
      score,
    })),
    ...(isNewest ? { controlProfiles: controls.map(profileOf) } : {}),
  });
}

/** Most controls are done or not; those that count people are done in part. */
function pointsOf(tenant: string, control: Control, share: number): number {
  if (control.isGradual) return rounded(control.points * Math.min(1, share * 1.05));
  return numberOf(100, tenant, control.id) < share * 100 ? control.points : 0;
}

function profileOf(control: Control, index: number) {
  return {
    id: control.id,
    title: control.title,
    maxScore: control.points,
    controlCategory: control.category,
    service: control.service,
    rank: index + 1,
    tier: control.points >= 8 ? 'Core' : 'Defense in Depth',
    userImpact: control.isGradual ? 'Moderate' : 'Low',
    implementationCost: control.points >= 8 ? 'Moderate' : 'Low',
    threats: [...control.threats],
    actionType: 'Config',
    actionUrl: null,
    remediation: control.advice,
    deprecated: false,
  };
}

const rounded = (points: number): number => Math.round(points * 100) / 100;
