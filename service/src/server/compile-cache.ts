import { join } from 'node:path';

/** Where Node keeps the compiled program from one start to the next: beside what npm has installed. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/svc-compile');
