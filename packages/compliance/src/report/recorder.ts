import type { LocalizedText, Translate } from './language.ts';

/** Kinds of actors of the audit log that write statements, and the readable name of each. */
const recorders: Readonly<Record<string, (name: string) => LocalizedText>> = {
  // The name is an address of the process, which says nothing about who sent the record.
  ingest: () => ['Ingestion', 'Moduł pobierania'],
  cli: (name) => [`${name} (command line)`, `${name} (wiersz poleceń)`],
  member: (id) => [`Console member ${id}`, `Użytkownik konsoli ${id}`],
  database: (login) => [`${login} (database)`, `${login} (baza danych)`],
};

/** Who wrote a statement, for readers of a report; an actor of another kind is unchanged. */
export function formatRecorder(translate: Translate, actor: string | null): string | null {
  if (actor === null) return null;
  const colon = actor.indexOf(':');
  const kind = actor.slice(0, Math.max(colon, 0));
  const name = actor.slice(colon + 1);
  const format = Object.hasOwn(recorders, kind) ? recorders[kind] : undefined;
  return format ? translate(format(name)) : actor;
}
