/** Estimates the median of durations in constant memory: from the first on, each one moves the estimate by a twentieth in its direction. */
export function createUsualDuration() {
  let medianMs: number | null = null;
  return {
    medianMs: () => medianMs ?? 0,
    add(ms: number): void {
      const step = Math.max((medianMs ?? ms) / 20, 1);
      medianMs = medianMs === null ? ms : Math.max(0, medianMs + Math.sign(ms - medianMs) * step);
    },
  };
}
