import { azureMonitorFormat } from './azure-monitor.ts';

export const entraAuditAzureMonitor = azureMonitorFormat('audit');
