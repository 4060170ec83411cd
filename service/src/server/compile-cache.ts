import { join } from 'node:path';

/** Node's cache of compiled code, next to the installed packages. It makes later starts faster. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/svc-compile');
