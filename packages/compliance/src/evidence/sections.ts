import type { SectionReader } from './section.ts';

/** Readers of the sections, in the catalogue's order. */
export const sectionReaders: readonly SectionReader[] = [];
