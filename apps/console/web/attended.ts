/** So long after the last key, press or movement somebody is still taken to sit here. */
const presenceMs = 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let lastSignMs = performance.now();
const note = () => {
  lastSignMs = performance.now();
};
for (const sign of signs) addEventListener(sign, note, { capture: true, passive: true });

/** Whether somebody sits at this screen, for all that can be known here. */
export const isAttended = (): boolean => performance.now() - lastSignMs < presenceMs;
