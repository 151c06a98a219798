/** How long a session lasts without a request, and at all. */
export const idleMinutes = 30;
export const longestHours = 12;
