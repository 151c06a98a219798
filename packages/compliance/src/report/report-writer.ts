import type { ReportContent, ReportLanguage } from '@tenantscope/contract';
import type { LocalizedText, Translate } from './language.ts';
import type { ReportReading } from './report-reading.ts';

/** The input of a report besides its facts. */
export interface RenderContext {
  readonly lang: ReportLanguage;
  readonly translate: Translate;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the tenant: an IANA name, as configured. */
  readonly timeZone: string;
  /** Keys of the template's frameworks; empty for those that the tenant selected. */
  readonly frameworks: readonly string[];
}

export interface ReportBody {
  /** The content of each section of the template, by its key. */
  readonly sections: Readonly<Record<string, ReportContent>>;
  readonly limitations: readonly LocalizedText[];
  /** Present where the title says more than the name of the template. */
  readonly title?: LocalizedText;
  /** Present where the report covers another period than requested. */
  readonly periodMs?: { readonly from: number; readonly to: number };
}

/** The writer of a template: facts are read in one read snapshot, and a pure function writes the report. */
export interface ReportWriter<Facts> {
  readonly id: string;
  /** Keys of sections that only show statuses: unknown for a past end without a snapshot. */
  readonly statusSections?: readonly string[];
  /** Keys of sections that only show the present state, which snapshots do not contain: unknown for any past end. */
  readonly presentSections?: readonly string[];
  read(reading: ReportReading): Promise<Facts>;
  write(facts: Facts, context: RenderContext): ReportBody;
}
