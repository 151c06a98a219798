import type { LocalizedText } from './language.ts';

/** Names of sources, as reports call them. Sources without one keep their own name. */
export const sourceLabels: Readonly<Record<string, LocalizedText>> = {
  logs: ['Activity log', 'Dziennik aktywności'],
  security_alerts: ['Security alerts', 'Alerty bezpieczeństwa'],
  detections: ['Detections', 'Wykrycia'],
  notifications: ['Notifications', 'Powiadomienia'],
  actions: ['Remediation', 'Działania naprawcze'],
  policy_scans: ['Policy scans', 'Skany zasad'],
  users: ['Users', 'Użytkownicy'],
  agents: ['AI agents', 'Agenty AI'],
  apps: ['Apps', 'Aplikacje'],
  files: ['Files', 'Pliki'],
  devices: ['Devices', 'Urządzenia'],
  groups: ['Groups', 'Grupy'],
  sites: ['Sites', 'Witryny'],
  emails: ['Mail', 'Poczta'],
  licenses: ['Licenses', 'Licencje'],
  sensitive_info_types: ['Sensitive data types', 'Typy danych wrażliwych'],
  data_restrictions: ['Data restrictions', 'Ograniczenia danych'],
  user_risk: ['Risk of users', 'Ryzyko użytkowników'],
  agent_risk: ['Risk of agents', 'Ryzyko agentów'],
  security_score: ['Security score', 'Wynik Secure Score'],
  attestations: ['Attestations', 'Poświadczenia'],
  snapshots: ['Snapshots', 'Migawki'],
  tenant: ['Organisation', 'Dane organizacji'],
};

/** Names of these sources in both languages, each once. */
export function listSourceNames(sources: readonly string[]): LocalizedText {
  const labels = [...new Set(sources)].sort().map((source) => sourceLabels[source] ?? [source, source]);
  return [labels.map(([en]) => en).join(', '), labels.map(([, pl]) => pl).join(', ')];
}
