import { azureMonitorFormat } from './azure-monitor.ts';

export const entraSignInAzureMonitor = azureMonitorFormat('signIn');
