import type { Words } from '../en.ts';

export const signIn = {
  signIn: {
    oidc: (name) => `Kontynuuj przez ${name}`,
    passkey: 'Użyj klucza dostępu',
    prove: 'Tak, to ja',
    title: 'Zaloguj się',
    demo: 'Otwórz wersję demonstracyjną',
    demoHint: 'Na tym komputerze działa wersja demonstracyjna. Nikt inny nie ma do niej dostępu.',
    local: 'Użyj konta lokalnego',
    name: 'Nazwa',
    password: 'Hasło',
    second: 'Kod z aplikacji uwierzytelniającej lub kod zapasowy',
    submit: 'Zaloguj',
    closed: 'Żaden sposób logowania nie jest włączony. Na serwerze uruchom «npx tenantscope console set-up».',
  },
  setUp: {
    words: 'Konto tej konsoli, z hasłem i aplikacją uwierzytelniającą. Otwiera każdy ekran.',
    link: 'Otwórz w aplikacji uwierzytelniającej na tym urządzeniu',
    copyAll: 'Kopiuj wszystkie',
    leave: 'Kody zapasowe są pokazane jeden raz. Wyjść mimo to?',
    title: 'Pierwszy administrator',
    token: 'Token wypisany w wierszu poleceń',
    name: 'Imię i nazwisko',
    password: 'Hasło, co najmniej 12 znaków',
    secret: 'Dodaj ten sekret do aplikacji uwierzytelniającej',
    code: 'Kod, który teraz pokazuje',
    submit: 'Utwórz konto',
    recovery: 'Kody zapasowe, pokazane jeden raz. Każdy działa raz.',
    goOn: 'Kody są zapisane',
  },
} satisfies Pick<Words, 'signIn' | 'setUp'>;
