import { azureMonitor, entraAuditAzureMonitor, entraSignInAzureMonitor } from '../azure-monitor/azure-monitor.ts';
import { defenderAdvancedHunting } from '../defender/advanced-hunting.ts';
import { entraAuditGraph } from '../entra/audit-graph.ts';
import { entraRiskGraph } from '../entra/risk-graph.ts';
import { entraSignInGraph } from '../entra/sign-in-graph.ts';
import { googleReportsActivity } from '../google/reports-activity.ts';
import { graphAiInteraction } from '../graph/ai-interaction.ts';
import { o365ManagementActivity } from '../microsoft/management-activity.ts';
import { exchangeMessageTrace } from '../microsoft/message-trace.ts';
import { oktaSystemLog } from '../okta/system-log.ts';
import type { ActivityFormat } from './activity-format.ts';

/** The raw formats that become log rows. */
export const activityFormats = [
  'o365.management-activity',
  'entra.signin.azuremonitor',
  'entra.audit.azuremonitor',
  'entra.risk.azuremonitor',
  'entra.provisioning.azuremonitor',
  'graph.activity.azuremonitor',
  'azure.activity.azuremonitor',
  'azure.monitor',
  'entra.signin.graph',
  'entra.audit.graph',
  'entra.risk.graph',
  'google.reports.activity',
  'okta.system-log',
  'm365d.advanced-hunting',
  'exchange.message-trace',
  'graph.aiInteraction',
] as const;
export type ActivityFormatName = (typeof activityFormats)[number];

/**
 * Incremented whenever the same record would be normalised into a different row. Rows store the version that produced them,
 * so that a re-run from stored raw text knows which rows to replace.
 */
export const normaliserVersion = 16;

const readers: Record<ActivityFormatName, ActivityFormat> = {
  'o365.management-activity': o365ManagementActivity,
  'entra.signin.azuremonitor': entraSignInAzureMonitor,
  'entra.audit.azuremonitor': entraAuditAzureMonitor,
  'entra.risk.azuremonitor': azureMonitor,
  'entra.provisioning.azuremonitor': azureMonitor,
  'graph.activity.azuremonitor': azureMonitor,
  'azure.activity.azuremonitor': azureMonitor,
  'azure.monitor': azureMonitor,
  'entra.signin.graph': entraSignInGraph,
  'entra.audit.graph': entraAuditGraph,
  'entra.risk.graph': entraRiskGraph,
  'google.reports.activity': googleReportsActivity,
  'okta.system-log': oktaSystemLog,
  'm365d.advanced-hunting': defenderAdvancedHunting,
  'exchange.message-trace': exchangeMessageTrace,
  'graph.aiInteraction': graphAiInteraction,
};

export function getActivityFormat(name: ActivityFormatName): ActivityFormat {
  return readers[name];
}
