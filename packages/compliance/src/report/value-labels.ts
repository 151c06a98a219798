import type { LocalizedText, Translate } from './language.ts';

/** Labels of the enum values in the service's records. */
const valueLabels = {
  severity: {
    critical: ['Critical', 'Krytyczna'],
    high: ['High', 'Wysoka'],
    medium: ['Medium', 'Średnia'],
    low: ['Low', 'Niska'],
    informational: ['Informational', 'Informacyjna'],
    unknown: ['Not reported', 'Nie podano'],
  },
  finding: { alert: ['Alert', 'Alert'], detection: ['Detection', 'Wykrycie'] },
  findingStatus: {
    new: ['new', 'nowy'],
    inProgress: ['in progress', 'w toku'],
    open: ['open', 'otwarte'],
    resolved: ['resolved', 'rozwiązane'],
    dismissed: ['dismissed', 'odrzucone'],
    unknown: ['not reported', 'nie podano'],
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
    none: ['no one', 'brak'],
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
    unknown: ['not reported', 'nie podano'],
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
    detected: ['detected', 'wykryte'],
    blocked: ['blocked', 'zablokowane'],
    unknown: ['not reported', 'nie podano'],
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
  actorKind: {
    policy: ['policy', 'zasada'],
    human: ['person', 'człowiek'],
    agent: ['AI agent', 'agent AI'],
    system: ['system', 'system'],
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
    unknown: ['not reported', 'nie podano'],
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
    unknown: ['unknown', 'nieznane'],
  },
  evaluation: {
    measured: ['measured', 'pomiar'],
    attested: ['attested', 'poświadczenie'],
    no_data: ['no data', 'brak danych'],
    manual: ['needs an attestation', 'wymaga poświadczenia'],
    not_applicable: ['not applicable', 'nie dotyczy'],
  },
  coverage: {
    main: ['main requirement', 'wymaganie główne'],
    indicator: ['indicators only', 'tylko wskaźniki'],
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
    none: ['unknown', 'nieznane'],
  },
  stopControl: {
    block: ['block in the admin centre', 'blokada w centrum administracyjnym'],
    quarantine: ['quarantine', 'kwarantanna'],
    disable: ['disable its identity', 'wyłączenie tożsamości'],
  },
} satisfies Readonly<Record<string, Readonly<Record<string, LocalizedText>>>>;

export type ValueKind = keyof typeof valueLabels;

/** Translates an enum value; an unlisted value is unchanged, and a missing one is null. */
export function translateValue(translate: Translate, family: ValueKind, word: unknown): string | null {
  if (typeof word !== 'string' || word === '') return null;
  const label: Readonly<Record<string, LocalizedText>> = valueLabels[family];
  const found = Object.hasOwn(label, word) ? label[word] : undefined;
  return found ? translate(found) : word;
}

export const severitiesWorstFirst = ['critical', 'high', 'medium', 'low', 'informational', 'unknown'] as const;
