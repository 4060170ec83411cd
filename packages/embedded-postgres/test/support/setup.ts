import { afterAll } from 'vitest';
import { runCleanups } from './cleanup.ts';

// Registered before the hooks of the test file, so it runs after them.
afterAll(runCleanups);
