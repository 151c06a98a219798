import { type ReportTemplate, renderReport, reportTemplates } from '@tenantscope/compliance';
import { type Report, type ReportLanguage, reportLanguages } from '@tenantscope/contract';
import * as happened from '../compliance/happened.ts';
import { notification } from '../compliance/notified.ts';
import * as said from '../compliance/said.ts';
import type { Told } from '../compliance/told.ts';
import { toldChange, toldLifecycle, toldThreat } from '../evidence/say.ts';

const { at, dayMs, hourMs } = said;

export const toMs = Date.UTC(2026, 5, 15, 12);

/** A tenant in which something of every kind has happened; `name` is what others call what they own. */
export function eventful(name: (kind: string) => string): readonly said.Saying[] {
  const ago = (days: number, hours = 0) => toMs - days * dayMs + hours * hourMs;
  return [
    said.user('ada', { displayName: name('user') }),
    said.user('ben', { mfaRegistered: false, accountEnabled: false }),
    said.guest('gus'),
    said.agent('sales', { displayName: name('agent'), instructions: name('instructions'), platform: 'copilotStudio' }),
    said.agent('idle', { displayName: `${name('agent')} 2` }),
    said.accountable('agent', 'sales', 'ada'),
    said.riskClass('agent', 'sales', 'high'),
    said.grant('g1', 'sales'),
    said.app('crm', { displayName: name('app'), publisher: name('publisher') }),
    said.sensitiveInfoType('iban', { name: name('sensitive type') }),
    said.file('payroll', {
      name: name('file'),
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
      hasAnonymousLink: true,
    }),
    said.site('finance', { displayName: name('site') }),
    said.restriction('r1', 'iban', 'noAiAccess', ago(20)),
    toldLifecycle('l1', 'sales', 'publish', ago(9), { actor: { id: 'ada', name: name('actor') } }),
    toldLifecycle('l2', 'sales', 'block', ago(3)),
    toldThreat('t1', 'sales', 'jailbreak', ago(4)),
    toldChange('c1', 'sales', ago(8)),
    happened.interaction('ada', ago(6), { agentId: 'sales', resources: [{ Id: 'payroll', Name: name('file') }] }),
    happened.episode('e1', ago(5), null, { entity: { type: 'user', id: 'ada', name: name('user') } }),
    happened.episode('e2', ago(12), 30),
    happened.alert('a1', ago(2), null, [
      happened.userEvidence('ada'),
      {
        '@odata.type': '#microsoft.graph.security.fileEvidence',
        fileDetails: { fileName: name('evil file'), filePath: 'C:\\temp' },
      },
    ]),
    happened.alert('a2', ago(15), 5, [happened.agentEvidence('sales')]),
    notification('n1', ago(2, 1), { resourceId: 'a1' }),
    notification('n2', ago(3), { decision: 'suppressed', reason: 'duplicate' }),
    happened.action('x1', 'revokeSessions', { type: 'user', id: 'ada' }, ago(1), { actionName: name('action') }),
    happened.action('x2', 'blockAgent', { type: 'agent', id: 'sales' }, ago(30), {
      rollupRung: 'staged',
      itemsSettled: 0,
      dueAt: at(ago(10)),
    }),
    happened.action('x3', 'removeSharingLink', { type: 'file', id: 'payroll' }, ago(20), {
      rollupRung: 'failed',
      failedCount: 1,
    }),
    said.attestation('ai.attest.literacy', {
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

/** Templates in both languages. */
export const everyPage = reportTemplates.flatMap((template) =>
  reportLanguages.map((lang) => [template.id, lang, template] as const),
);

/** What a template that needs a framework is asked about. */
export const frameworkOf = ({ parameters }: ReportTemplate): string | null =>
  parameters.some(({ name, required }) => name === 'framework' && required) ? 'nis2' : null;

/** A report over the 90 days before `toMs`, read behind the tenant's walls. */
export function render(
  told: Told,
  tenantId: string,
  template: ReportTemplate,
  lang: ReportLanguage,
  given: { readonly incidentId?: string; readonly generatedAtMs?: number; readonly tenantName?: string } = {},
): Promise<Report> {
  const { incidentId = null, generatedAtMs = toMs, tenantName = 'Contoso' } = given;
  const framework = frameworkOf(template);
  return told.read(tenantId, (client) =>
    renderReport(
      {
        client,
        tenantId,
        connectedAtMs: toMs - 400 * dayMs,
        fromMs: toMs - 90 * dayMs,
        toMs,
        knownThroughMs: toMs,
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
