import type { Say, Words } from './language.ts';

/** Closed words of the service's records, as people say them. */
const vocabulary = {
  severity: {
    critical: ['Critical', 'Krytyczna'],
    high: ['High', 'Wysoka'],
    medium: ['Medium', 'Średnia'],
    low: ['Low', 'Niska'],
    informational: ['Informational', 'Informacyjna'],
    unknown: ['Not told', 'Nie podano'],
  },
  finding: { alert: ['Alert', 'Alert'], detection: ['Detection', 'Wykrycie'] },
  findingStatus: {
    new: ['new', 'nowy'],
    inProgress: ['in progress', 'w toku'],
    open: ['open', 'otwarte'],
    resolved: ['resolved', 'rozwiązane'],
    dismissed: ['dismissed', 'odrzucone'],
    unknown: ['not told', 'nie podano'],
  },
  entity: {
    user: ['User', 'Użytkownik'],
    agent: ['AI agent', 'Agent AI'],
    app: ['App', 'Aplikacja'],
    file: ['File', 'Plik'],
    site: ['Site', 'Witryna'],
    group: ['Group', 'Grupa'],
    device: ['Device', 'Urządzenie'],
    email: ['Mail', 'Wiadomość e-mail'],
    tenant: ['Organisation', 'Organizacja'],
    other: ['Other', 'Inne'],
  },
  riskClass: {
    prohibited: ['Prohibited', 'Zakazany'],
    high: ['High risk', 'Wysokie ryzyko'],
    transparency: ['Transparency duties', 'Obowiązki przejrzystości'],
    minimal: ['Minimal risk', 'Minimalne ryzyko'],
    unclassified: ['Not classified', 'Niesklasyfikowany'],
  },
  accountableSource: {
    nativeOwner: ['owner', 'właściciel'],
    nativeSponsor: ['sponsor', 'sponsor'],
    assignment: ['assigned', 'wyznaczona'],
    none: ['nobody', 'brak'],
  },
  agentStatus: {
    draft: ['Draft', 'Wersja robocza'],
    published: ['Published', 'Opublikowany'],
    deployed: ['Deployed', 'Wdrożony'],
    blocked: ['Blocked', 'Zablokowany'],
    deleted: ['Deleted', 'Usunięty'],
  },
  agentEvent: {
    create: ['Created', 'Utworzenie'],
    update: ['Changed', 'Zmiana'],
    publish: ['Published', 'Publikacja'],
    deploy: ['Deployed', 'Wdrożenie'],
    undeploy: ['Withdrawn', 'Wycofanie'],
    block: ['Blocked', 'Zablokowanie'],
    unblock: ['Unblocked', 'Odblokowanie'],
    share: ['Shared', 'Udostępnienie'],
    delete: ['Deleted', 'Usunięcie'],
  },
  result: {
    success: ['succeeded', 'powodzenie'],
    failure: ['failed', 'niepowodzenie'],
    unknown: ['not told', 'nie podano'],
  },
  instructionChange: {
    captured: ['First captured', 'Pierwszy zapis'],
    modified: ['Changed', 'Zmiana'],
    removed: ['Removed', 'Usunięcie'],
  },
  threat: {
    jailbreak: ['Attempt to break the rules of the agent (jailbreak)', 'Próba obejścia zasad agenta (jailbreak)'],
    xpia: ['Instructions hidden in content (prompt injection)', 'Polecenia ukryte w treści (prompt injection)'],
    policyBlock: ['Blocked by a policy', 'Blokada przez zasady'],
    riskyAgent: ['Agent rated as risky', 'Agent oceniony jako ryzykowny'],
    alert: ['Security alert', 'Alert bezpieczeństwa'],
  },
  threatOutcome: {
    detected: ['let through', 'przepuszczone'],
    blocked: ['blocked', 'zablokowane'],
    unknown: ['not told', 'nie podano'],
  },
  restriction: {
    none: ['No restriction', 'Bez ograniczeń'],
    monitored: ['Monitored', 'Monitorowanie'],
    noAiAccess: ['No access for AI', 'Bez dostępu AI'],
    noAccess: ['No access', 'Bez dostępu'],
  },
  reach: {
    permissions: ['by permissions', 'z uprawnień'],
    observed: ['as observed', 'z obserwacji'],
    both: ['both', 'z obu'],
  },
  rung: {
    staged: ['Staged', 'Przygotowane'],
    approved: ['Approved', 'Zatwierdzone'],
    rejected: ['Rejected', 'Odrzucone'],
    applied: ['Executed', 'Wykonane'],
    confirmed: ['Confirmed by a probe', 'Potwierdzone sondą'],
    failed: ['Failed', 'Nieudane'],
    reverted: ['Reverted', 'Cofnięte'],
  },
  decision: {
    sent: ['Notification sent', 'Wysłano powiadomienie'],
    suppressed: ['Notification suppressed', 'Wstrzymano powiadomienie'],
    failed: ['Notification failed', 'Nie doręczono powiadomienia'],
  },
  channel: {
    email: ['E-mail', 'E-mail'],
    teams: ['Microsoft Teams', 'Microsoft Teams'],
    inApp: ['In the app', 'W aplikacji'],
  },
  alertVerdict: {
    unknown: ['not judged', 'bez oceny'],
    suspicious: ['suspicious', 'podejrzane'],
    malicious: ['malicious', 'złośliwe'],
    noThreatsFound: ['no threat found', 'nie znaleziono zagrożenia'],
  },
  alertRole: {
    unknown: ['not told', 'nie podano'],
    contextual: ['context', 'kontekst'],
    scanned: ['scanned', 'przeskanowane'],
    source: ['source', 'źródło'],
    destination: ['destination', 'cel'],
    created: ['created', 'utworzone'],
    added: ['added', 'dodane'],
    compromised: ['compromised', 'przejęte'],
    edited: ['edited', 'zmienione'],
    attacked: ['attacked', 'zaatakowane'],
    attacker: ['attacker', 'atakujący'],
    commandAndControl: ['command and control', 'serwer sterujący'],
    loaded: ['loaded', 'wczytane'],
    suspicious: ['suspicious', 'podejrzane'],
    policyViolator: ['violated a policy', 'narusza zasady'],
  },
  basis: {
    measured: ['measured', 'zmierzone'],
    attested: ['attested', 'poświadczone'],
    unknown: ['not known', 'nieznane'],
  },
  evaluation: {
    measured: ['measured', 'pomiar'],
    attested: ['attested', 'poświadczenie'],
    no_data: ['no data', 'brak danych'],
    manual: ['needs an attestation', 'wymaga poświadczenia'],
    not_applicable: ['not applicable', 'nie dotyczy'],
  },
  aiKind: {
    assistant: ['AI assistant', 'Asystent AI'],
    agentPlatform: ['Agent platform', 'Platforma agentów'],
    plugin: ['AI plug-in', 'Wtyczka AI'],
    modelProvider: ['Model provider', 'Dostawca modelu'],
    aiFeature: ['AI feature', 'Funkcja AI'],
  },
  purposeSource: {
    instructions: ['from its instructions', 'z instrukcji'],
    description: ['from its description', 'z opisu'],
    declared: ['declared', 'zadeklarowane'],
    none: ['not known', 'nieznane'],
  },
  stopControl: {
    block: ['block in the admin centre', 'blokada w centrum administracyjnym'],
    quarantine: ['quarantine', 'kwarantanna'],
    disable: ['disable its identity', 'wyłączenie tożsamości'],
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Words>>>>;

export type Family = keyof typeof vocabulary;

/** A closed word as people say it; what is outside of the list stays as it came, and nothing stays nothing. */
export function spell(say: Say, family: Family, word: unknown): string | null {
  if (typeof word !== 'string' || word === '') return null;
  const words: Readonly<Record<string, Words>> = vocabulary[family];
  const found = Object.hasOwn(words, word) ? words[word] : undefined;
  return found ? say(found) : word;
}

export const severitiesGravestFirst = ['critical', 'high', 'medium', 'low', 'informational', 'unknown'] as const;
