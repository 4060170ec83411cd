import { onFileEnd } from './cleanup.ts';

/** Finds secrets in the output of the service: text that looks like one, and text that a test has registered. */

const TOKEN = /svc_(?:live|test)_[A-Za-z0-9_-]{32}/;
/** better-auth's cookie of a session, as a header or a log would have it. */
const SESSION_COOKIE = /session_token=(?!\[removed\])[^;\s"\\]{8,}/;
/** A hash, salt or index as PostgreSQL writes bytes, and scrypt's `salt:key`. */
const BYTES = /\\x[0-9a-f]{32,}/;
const SCRYPT = /\b[0-9a-f]{32}:[0-9a-f]{128}\b/;

const known = new Set<string>();
/** Shorter texts would be found by chance. */
const MIN_CHARACTERS = 8;

/** Registers a secret with the check, and returns it. */
export function secret<T extends string>(text: T): T {
  if (text.length >= MIN_CHARACTERS) known.add(text);
  return text;
}

/** The lines that contain a secret. */
export function findSecrets(output: string): readonly string[] {
  return output.split('\n').filter((line) => {
    if ([TOKEN, SESSION_COOKIE, BYTES, SCRYPT].some((pattern) => pattern.test(line))) return true;
    return [...known].some((text) => line.includes(text));
  });
}

/** Fails the test file at its end if the output contains a secret. */
export function expectNoSecrets(name: string, output: () => string): void {
  onFileEnd(async () => {
    const found = findSecrets(output());
    if (found.length > 0) throw new Error(`${name} has printed secrets:\n${found.join('\n')}`);
  });
}
