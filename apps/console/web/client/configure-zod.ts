import * as z from 'zod/mini';

// The content security policy forbids `new Function`, which schemas would try for faster parsing. Imported before any schema is created.
z.config({ jitless: true });
