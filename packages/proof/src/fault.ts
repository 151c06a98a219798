/** One defect of a pack. `member` is a path such as `metadata`, `sections.inventory` or `sections.inventory.rows[3].name`. */
export interface Fault {
  readonly member: string;
  readonly reason: string;
}
