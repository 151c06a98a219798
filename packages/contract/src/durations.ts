export const hourMs = 3_600_000;
export const dayMs: number = 24 * hourMs;
