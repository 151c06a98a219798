/** The user counts as active this long after the last input. */
const activeMs = 60_000;
const inputEvents = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let lastInputMs = performance.now();
const recordInput = () => {
  lastInputMs = performance.now();
};
for (const name of inputEvents) addEventListener(name, recordInput, { capture: true, passive: true });

/** Whether the user has recently used this page. */
export const isUserActive = (): boolean => performance.now() - lastInputMs < activeMs;
