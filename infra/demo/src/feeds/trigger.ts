/**
 * What distinguishes a record from others of its kind: its start in milliseconds, or that it belongs to the storyline, of which a company has one.
 * The ids of a storyline are therefore the same in every demo.
 */
export type Trigger = number | 'storyline';
