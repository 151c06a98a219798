/** How long a session lasts without a request, and at all. */
export const maxIdleMinutes = 30;
export const maxSessionHours = 12;
