import { expect, test } from 'vitest';
import { createTranslate } from '../src/report/language.ts';
import { formatRecorder } from '../src/report/recorder.ts';

test.each([
  ['ingest:127.0.0.1', 'Ingestion', 'Moduł pobierania'],
  ['ingest:host/1', 'Ingestion', 'Moduł pobierania'],
  ['cli:maria', 'maria (command line)', 'maria (wiersz poleceń)'],
  ['database:postgres', 'postgres (database)', 'postgres (baza danych)'],
  ['member:7', 'Console member 7', 'Użytkownik konsoli 7'],
  ['cli:a:b', 'a:b (command line)', 'a:b (wiersz poleceń)'],
  // Other kinds of actors, and text that is none.
  ['set-up', 'set-up', 'set-up'],
  ['constructor:x', 'constructor:x', 'constructor:x'],
  [':x', ':x', ':x'],
  ['', '', ''],
  [null, null, null],
])('the actor %s is shown in a report as %s', (actor, english, polish) => {
  expect(formatRecorder(createTranslate('en'), actor)).toBe(english);
  expect(formatRecorder(createTranslate('pl'), actor)).toBe(polish);
});
