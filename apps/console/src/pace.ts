import { Refusal } from './refusal.ts';

const windowMs = 60_000;
const heldMax = 10_000;

/** At most so many of something for each name within a minute, as this process counts them. Throws RATE_LIMITED beyond. */
export function paceOf(most: number): (name: string) => void {
  const windows = new Map<string, { beganAtMs: number; count: number }>();
  return (name) => {
    const nowMs = performance.now();
    const standing = windows.get(name);
    if (standing === undefined || nowMs - standing.beganAtMs >= windowMs) {
      if (windows.size >= heldMax) windows.clear();
      windows.set(name, { beganAtMs: nowMs, count: 1 });
      return;
    }
    if (standing.count >= most) {
      const seconds = Math.ceil((standing.beganAtMs + windowMs - nowMs) / 1_000);
      throw new Refusal('RATE_LIMITED', `That is ${most} within a minute. Go on in ${seconds} s.`);
    }
    standing.count += 1;
  };
}
