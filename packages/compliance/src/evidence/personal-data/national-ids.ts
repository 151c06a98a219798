/** A form of national identification number, and its check, so that order numbers and dates are not taken for one. */
export interface NationalIdForm {
  readonly name: string;
  /** Global, with a bounded number of steps at each position. */
  readonly pattern: RegExp;
  isValid(found: string): boolean;
}

const digitsOf = (text: string): number[] => [...text.replace(/\D/g, '')].map(Number);

const computeWeightedSum = (values: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? 0), 0);

const isMonthAndDay = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31;

/** 11 digits: date of birth with the century in the month, serial number, check digit. */
function isPesel(text: string): boolean {
  const digits = digitsOf(text);
  const [month, day] = [Number(text.slice(2, 4)) % 20, Number(text.slice(4, 6))];
  return isMonthAndDay(month, day) && computeWeightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** Letters count from 10, as in ICAO 9303; the weights include the check digit. */
function isPolishDocument(weights: readonly number[]): (text: string) => boolean {
  return (text) => {
    const values = [...text.replace(/\s/g, '').toUpperCase()].map((one) => Number.parseInt(one, 36));
    return values.length === weights.length && computeWeightedSum(values, weights) % 10 === 0;
  };
}

/** ISO 7064 MOD 11,10. A digit occurs two or three times among the first ten. */
function isGermanTaxId(text: string): boolean {
  const digits = digitsOf(text);
  const most = Math.max(...digits.slice(0, 10).map((one, _, all) => all.filter((other) => other === one).length));
  const product = digits.slice(0, 10).reduce((last, digit) => (((last + digit) % 10 || 10) * 2) % 11, 10);
  return digits[0] !== 0 && (most === 2 || most === 3) && (11 - product) % 10 === digits[10];
}

/** 13 digits and a key of two, 97 less the remainder; Corsica has letters in the department. */
function isFrenchNir(text: string): boolean {
  const plain = text.replace(/\s/g, '').toUpperCase().replace('2A', '19').replace('2B', '18');
  const number = Number(plain.slice(0, 13));
  return Number.isSafeInteger(number) && 97 - (number % 97) === Number(plain.slice(13));
}

/** The letter is chosen by the remainder of 23; NIE begin with a letter for 0 to 2. */
function isSpanishId(text: string): boolean {
  const plain = text.replace(/[\s-]/g, '').toUpperCase();
  const number = Number(plain.slice(0, -1).replace(/^[XYZ]/, (first) => String('XYZ'.indexOf(first))));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === plain.at(-1);
}

const oddValues = '1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23'.split(' ').map(Number);

/** Characters at odd places have values of their own; the check letter is the remainder of 26. */
function isItalianCode(text: string): boolean {
  const characters = [...text.toUpperCase()];
  const sum = characters.slice(0, 15).reduce((total, one, index) => {
    const rank = /\d/.test(one) ? Number(one) : one.charCodeAt(0) - 65;
    return total + (index % 2 === 0 ? (oddValues[rank] ?? 0) : rank);
  }, 0);
  return String.fromCharCode(65 + (sum % 26)) === characters[15];
}

/** Luhn over the last ten digits. */
function isSwedishNumber(text: string): boolean {
  const digits = digitsOf(text).slice(-10);
  const [month, day] = [10 * (digits[2] ?? 0) + (digits[3] ?? 0), 10 * (digits[4] ?? 0) + (digits[5] ?? 0)];
  const sum = digits.reduce((total, digit, index) => {
    const weighted = index % 2 === 0 ? 2 * digit : digit;
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return isMonthAndDay(month, day % 60) && sum % 10 === 0;
}

/** The check character is the remainder of 31 of the nine digits. */
function isFinnishCode(text: string): boolean {
  const number = Number(text.slice(0, 6) + text.slice(7, 10));
  return '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === text.at(-1)?.toUpperCase();
}

/** A multiple of 11; months of women are 50 higher. */
function isCzechNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return isMonthAndDay((Number(digits.slice(2, 4)) % 50) % 20, Number(digits.slice(4, 6))) && Number(digits) % 11 === 0;
}

/** Areas 000, 666 and 900 to 999 were never issued. */
const isUsNumber = (text: string): boolean =>
  !/^(?:000|666|9)/.test(text) && !/^\d{3}-00/.test(text) && !text.endsWith('0000');

/** Forms without a check digit (UK) are told by their letters. Those that any number of nine digits could be are left out. */
export const nationalIdForms: readonly NationalIdForm[] = [
  { name: 'PESEL (PL)', pattern: /(?<![\p{L}\d])\d{11}(?![\p{L}\d])/gu, isValid: isPesel },
  {
    name: 'identity card (PL)',
    pattern: /(?<![\p{L}\d])[A-Z]{3} ?\d{6}(?![\p{L}\d])/giu,
    isValid: isPolishDocument([7, 3, 1, 9, 7, 3, 1, 7, 3]),
  },
  {
    name: 'passport (PL)',
    pattern: /(?<![\p{L}\d])[A-Z]{2} ?\d{7}(?![\p{L}\d])/giu,
    isValid: isPolishDocument([7, 3, 9, 1, 7, 3, 1, 7, 3]),
  },
  { name: 'tax id (DE)', pattern: /(?<![\p{L}\d])\d{11}(?![\p{L}\d])/gu, isValid: isGermanTaxId },
  {
    name: 'NIR (FR)',
    pattern: /(?<![\p{L}\d])[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?![\p{L}\d])/giu,
    isValid: isFrenchNir,
  },
  {
    name: 'DNI, NIE (ES)',
    pattern: /(?<![\p{L}\d])(?:\d{8}|[XYZ]-?\d{7})[- ]?[A-Z](?![\p{L}\d])/giu,
    isValid: isSpanishId,
  },
  {
    name: 'codice fiscale (IT)',
    pattern: /(?<![\p{L}\d])[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPR-T][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z](?![\p{L}\d])/giu,
    isValid: isItalianCode,
  },
  {
    name: 'personnummer (SE)',
    pattern: /(?<![\p{L}\d])(?:19|20)?\d{6}[-+]\d{4}(?![\p{L}\d])/gu,
    isValid: isSwedishNumber,
  },
  {
    name: 'henkilötunnus (FI)',
    pattern: /(?<![\p{L}\d])\d{6}[-+A-FU-Y]\d{3}[\dA-Y](?![\p{L}\d])/giu,
    isValid: isFinnishCode,
  },
  {
    name: 'rodné číslo (CZ, SK)',
    pattern: /(?<![\p{L}\d])\d{6}\/\d{4}(?![\p{L}\d])/gu,
    isValid: isCzechNumber,
  },
  {
    name: 'NINO (UK)',
    pattern:
      /(?<![\p{L}\d])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![\p{L}\d])/giu,
    isValid: () => true,
  },
  { name: 'SSN (US)', pattern: /(?<![\p{L}\d-])\d{3}-\d{2}-\d{4}(?![\p{L}\d-])/gu, isValid: isUsNumber },
];
