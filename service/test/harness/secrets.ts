import { onFileEnd } from './cleanup.ts';

/** What must not appear in any output of the service: what looks like a secret, and what a test knows to be one. */

const TOKEN = /svc_(?:live|test)_[A-Za-z0-9_-]{32}/;
/** better-auth's cookie of a session, as a header or a log would have it. */
const SESSION_COOKIE = /session_token=(?!\[removed\])[^;\s"\\]{8,}/;
/** A hash, salt or index as PostgreSQL writes bytes, and scrypt's `salt:key`. */
const BYTES = /\\x[0-9a-f]{32,}/;
const SCRYPT = /\b[0-9a-f]{32}:[0-9a-f]{128}\b/;

const known = new Set<string>();
/** Shorter ones would be found by accident. */
const MIN_CHARACTERS = 8;

/** Tells the check of a secret; returns it. */
export function secret<T extends string>(text: T): T {
  if (text.length >= MIN_CHARACTERS) known.add(text);
  return text;
}

/** The lines that hold a secret, each with what was found. */
export function findSecrets(output: string): readonly string[] {
  return output.split('\n').filter((line) => {
    if ([TOKEN, SESSION_COOKIE, BYTES, SCRYPT].some((pattern) => pattern.test(line))) return true;
    return [...known].some((text) => line.includes(text));
  });
}

/** Fails the test file, when it is over, if the output then holds a secret. */
export function expectNoSecrets(name: string, output: () => string): void {
  onFileEnd(async () => {
    const found = findSecrets(output());
    if (found.length > 0) throw new Error(`${name} has put out secrets:\n${found.join('\n')}`);
  });
}
