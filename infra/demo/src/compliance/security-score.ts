import type { Company } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { createNamedState, dayMs } from './compliance-state.ts';
import { type Control, controls } from './score-controls.ts';

const days = 90;

/** The vendor's daily score over ninety days, the newest with its components. It drops after the storyline. */
export function* generateSecurityScores(company: Company, endMs: number, storylineMs: number): Generator<DemoState> {
  const { score } = company.plan.compliance;
  if (score === null) return;
  const lastMs = endMs - (endMs % dayMs);
  for (let day = days - 1; day >= 0; day -= 1) {
    const atMs = lastMs - day * dayMs;
    const dip = atMs > storylineMs ? 1.5 : 0;
    const share = (score.from + ((score.to - score.from) * (days - 1 - day)) / (days - 1) - dip) / 100;
    yield createScore(company, atMs, share, day === 0);
  }
}

function createScore({ plan, employees }: Company, atMs: number, share: number, isNewest: boolean): DemoState {
  const date = formatInstant(atMs).slice(0, '2026-11-21'.length);
  const scored = controls.map((control) => ({ control, score: computePoints(plan.azureTenantId, control, share) }));
  const currentScore = rounded(scored.reduce((sum, { score }) => sum + score, 0));
  return createNamedState('securityScore', deriveGuid(plan.azureTenantId, 'security score', date), atMs, {
    createdDateTime: formatInstant(atMs),
    currentScore,
    maxScore: controls.reduce((sum, { points }) => sum + points, 0),
    licensedUserCount: employees.length,
    activeUserCount: employees.length - 1,
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
    ...(isNewest ? { controlProfiles: controls.map(createControlProfile) } : {}),
  });
}

/** Most controls are implemented or not; those that count users can be partial. */
function computePoints(tenant: string, control: Control, share: number): number {
  if (control.isGradual) return rounded(control.points * Math.min(1, share * 1.05));
  return deriveNumber(100, tenant, control.id) < share * 100 ? control.points : 0;
}

function createControlProfile(control: Control, index: number) {
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
