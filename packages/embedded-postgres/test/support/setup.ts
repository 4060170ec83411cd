import { afterAll } from 'vitest';
import { runCleanups } from './cleanup.ts';

// Registered before any hook of the test file, so it runs after all of them.
afterAll(runCleanups);
