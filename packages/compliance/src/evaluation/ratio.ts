/** Metric names that are added and subtracted on one side of a percentage. */
interface Sum {
  readonly plus: readonly string[];
  readonly minus: readonly string[];
}

export interface Ratio {
  readonly numerator: Sum;
  readonly denominator: Sum;
}

const form = /^100 \* (\w+|\([\w +-]+\)) \/ (\w+|\([\w +-]+\))$/;

/** Parses `100 * (a - b) / c`. Throws where the expression is not a percentage. */
export function parseRatio(expression: string): Ratio {
  const [, numerator, denominator] = form.exec(expression) ?? [];
  if (numerator === undefined || denominator === undefined) throw new TypeError(`${expression} is not a percentage`);
  return { numerator: parseSum(numerator), denominator: parseSum(denominator) };
}

function parseSum(sum: string): Sum {
  const terms = sum.replace(/[()]/g, '').split(/ (?=[+-])/);
  const bare = (term: string) => term.replace(/^[+-] /, '');
  return {
    plus: terms.filter((term) => !term.startsWith('-')).map(bare),
    minus: terms.filter((term) => term.startsWith('-')).map(bare),
  };
}

/** A share as two whole numbers, so that neither comparisons nor displayed values round twice. */
export interface Share {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

type Numbers = Readonly<Record<string, number | null | undefined>>;

/** Null where one of its metrics is unknown. */
export function computeShare(ratio: Ratio, metrics: Numbers): Share | null {
  const names = [ratio.numerator, ratio.denominator].flatMap(({ plus, minus }) => [...plus, ...minus]);
  const numbers = names.map((name) => metrics[name] ?? null);
  if (numbers.some((number) => number === null)) return null;
  const scale = 10 ** Math.max(...numbers.map((number) => decimalPlaces(number ?? 0)));
  const total = ({ plus, minus }: Sum): bigint => add(plus) - add(minus);
  const add = (terms: readonly string[]): bigint =>
    terms.reduce((sum, name) => sum + BigInt(Math.round((metrics[name] ?? 0) * scale)), 0n);
  return { numerator: total(ratio.numerator), denominator: total(ratio.denominator) };
}

/** Points of a vendor's score have a few decimal places; counts have 0. */
function decimalPlaces(number: number): number {
  return Math.min(6, String(number).split('.')[1]?.length ?? 0);
}

/** Whether 100 × the share is at least, or at most, so many percent. */
export function meetsTarget(
  { numerator, denominator }: Share,
  percent: number,
  direction: 'higher' | 'lower',
): boolean {
  const [left, right] = [100n * numerator, BigInt(percent) * denominator];
  return direction === 'higher' ? left >= right : left <= right;
}

/** The percentage rounded to one decimal toward the worse side: the displayed value never looks better than its status. */
export function roundPercent({ numerator, denominator }: Share, direction: 'higher' | 'lower'): number | null {
  if (denominator <= 0n) return null;
  const down = floorDivide(1000n * numerator, denominator);
  const exact = down * denominator === 1000n * numerator;
  return Number(direction === 'higher' || exact ? down : down + 1n) / 10;
}

function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/** 100 × part / whole rounded down to one decimal; null where the whole is 0. */
export function toDecimalPercent(part: number, whole: number): number | null {
  const share = computeShare(partRatio, { part, whole });
  return share && roundPercent(share, 'higher');
}

const partRatio = parseRatio('100 * part / whole');
