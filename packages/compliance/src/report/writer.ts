import type { ReportContent, ReportLanguage } from '@tenantscope/contract';
import type { Say, Words } from './language.ts';
import type { ReportReading } from './reading.ts';

/** What a report is written with, beside its facts. */
export interface Page {
  readonly lang: ReportLanguage;
  readonly say: Say;
  readonly fromMs: number;
  readonly toMs: number;
  /** Keys of the frameworks of the template; none: those that the tenant selected. */
  readonly frameworks: readonly string[];
}

export interface Written {
  /** What each section of the template holds, by its key. */
  readonly sections: Readonly<Record<string, ReportContent>>;
  readonly limitations: readonly Words[];
  /** Where the page is about another time than it was asked for. */
  readonly periodMs?: { readonly from: number; readonly to: number };
}

/** A template's report: facts are read in one moment of the database, and written down by a pure function. */
export interface ReportWriter<Facts> {
  readonly id: string;
  read(reading: ReportReading): Promise<Facts>;
  write(facts: Facts, page: Page): Written;
}
