/**
 * What tells something noticed from others of its kind: when it began, in milliseconds; or that it belongs to the storyline, of which a company has one.
 * The ids of a storyline are therefore the same in every demo, whatever the day.
 */
export type Occasion = number | 'storyline';
