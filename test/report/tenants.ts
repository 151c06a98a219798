import { type ReportTemplate, renderReport, reportTemplates } from '@tenantscope/compliance';
import { type Report, type ReportLanguage, reportLanguages } from '@tenantscope/contract';
import * as events from '../compliance/events.ts';
import type { FactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { notification } from '../compliance/notifications.ts';
import { reportedChange, reportedLifecycle, reportedThreat } from '../evidence/evidence-records.ts';

const { at, dayMs, hourMs } = input;

export const toMs = Date.UTC(2026, 5, 15, 12);

/** A tenant with records of every kind; `name` generates the names of its objects. */
export function eventfulRecords(name: (kind: string) => string): readonly input.InputRecord[] {
  const ago = (days: number, hours = 0) => toMs - days * dayMs + hours * hourMs;
  return [
    input.user('ada', { displayName: name('user') }),
    input.user('ben', { mfaRegistered: false, accountEnabled: false }),
    input.guest('gus'),
    input.agent('sales', { displayName: name('agent'), instructions: name('instructions'), platform: 'copilotStudio' }),
    input.agent('idle', { displayName: `${name('agent')} 2` }),
    input.accountable('agent', 'sales', 'ada'),
    input.riskClass('agent', 'sales', 'high'),
    input.grant('g1', 'sales'),
    input.app('crm', { displayName: name('app'), publisher: name('publisher') }),
    input.sensitiveInfoType('iban', { name: name('sensitive type') }),
    input.file('payroll', {
      name: name('file'),
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
      hasAnonymousLink: true,
    }),
    input.site('finance', { displayName: name('site') }),
    input.restriction('r1', 'iban', 'noAiAccess', ago(20)),
    reportedLifecycle('l1', 'sales', 'publish', ago(9), { actor: { id: 'ada', name: name('actor') } }),
    reportedLifecycle('l2', 'sales', 'block', ago(3)),
    reportedThreat('t1', 'sales', 'jailbreak', ago(4)),
    reportedChange('c1', 'sales', ago(8)),
    events.interaction('ada', ago(6), { agentId: 'sales', resources: [{ Id: 'payroll', Name: name('file') }] }),
    events.episode('e1', ago(5), null, { entity: { type: 'user', id: 'ada', name: name('user') } }),
    events.episode('e2', ago(12), 30),
    events.alert('a1', ago(2), null, [
      events.userEvidence('ada'),
      {
        '@odata.type': '#microsoft.graph.security.fileEvidence',
        fileDetails: { fileName: name('evil file'), filePath: 'C:\\temp' },
      },
    ]),
    events.alert('a2', ago(15), 5, [events.agentEvidence('sales')]),
    notification('n1', ago(2, 1), { resourceId: 'a1' }),
    notification('n2', ago(3), { decision: 'suppressed', reason: 'duplicate' }),
    events.action('x1', 'revokeSessions', { type: 'user', id: 'ada' }, ago(1), { actionName: name('action') }),
    events.action('x2', 'blockAgent', { type: 'agent', id: 'sales' }, ago(30), {
      rollupRung: 'staged',
      itemsSettled: 0,
      dueAt: at(ago(10)),
    }),
    events.action('x3', 'removeSharingLink', { type: 'file', id: 'payroll' }, ago(20), {
      rollupRung: 'failed',
      failedCount: 1,
    }),
    input.attestation('ai.attest.literacy', {
      attestedAt: at(ago(300)),
      validUntil: at(ago(-20)),
      attestedBy: name('who attests'),
    }),
    {
      topic: 'compliance',
      type: 'compliance.frameworkSelection',
      id: 'nis2',
      members: { framework: 'nis2', selected: true },
    },
  ];
}

/** Every template in both languages. */
export const everyPage = reportTemplates.flatMap((template) =>
  reportLanguages.map((lang) => [template.id, lang, template] as const),
);

/** The framework for a template that needs one. */
export const defaultFramework = ({ parameters }: ReportTemplate): string | null =>
  parameters.some(({ name, required }) => name === 'framework' && required) ? 'nis2' : null;

/** Renders a report over the 90 days before `toMs`, or another end, under row-level security of the tenant. */
export function render(
  facts: FactDatabase,
  tenantId: string,
  template: ReportTemplate,
  lang: ReportLanguage,
  given: {
    readonly incidentId?: string;
    readonly framework?: string;
    readonly generatedAtMs?: number;
    readonly tenantName?: string;
    readonly toMs?: number;
    readonly storedThroughMs?: number;
    readonly connectedAtMs?: number;
    readonly timeZone?: string;
  } = {},
): Promise<Report> {
  const { incidentId = null, generatedAtMs = toMs, tenantName = 'Contoso' } = given;
  const endMs = given.toMs ?? toMs;
  const framework = given.framework ?? defaultFramework(template);
  return facts.read(tenantId, (client) =>
    renderReport(
      {
        client,
        tenantId,
        connectedAtMs: given.connectedAtMs ?? toMs - 400 * dayMs,
        timeZone: given.timeZone ?? 'UTC',
        fromMs: endMs - 90 * dayMs,
        toMs: endMs,
        storedThroughMs: given.storedThroughMs ?? endMs,
        lang,
        framework,
        incidentId,
      },
      {
        template,
        tenant: { id: tenantId, name: tenantName },
        parameters: { lang, ...(framework ? { framework } : {}) },
        generatedAtMs,
        generatedBy: 'auditor (key 1)',
      },
    ),
  );
}
