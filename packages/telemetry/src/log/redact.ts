import { TOKEN_PATTERN } from '@svc/sdk/contract';
import { pino } from 'pino';

/** Removes secrets from the log: by field name at any depth, and by pattern in the finished line. */

const REMOVED = '[removed]';
const SECRET_NAME = /(?:authorization|cookie|token|password|secret|salt|hash)$/i;
/** Values at deeper levels are replaced. */
const MAX_DEPTH = 8;

/** Replaces the values of secret fields, at any depth. Errors become plain objects. */
export function redactFields(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return redactFields(pino.stdSerializers.err(value), depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH || ArrayBuffer.isView(value)) return REMOVED;
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_NAME.test(name) ? REMOVED : redactFields(item, depth + 1),
    ]),
  );
}

/** Patterns of secrets in a finished line, and their replacements. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(TOKEN_PATTERN, 'g'), `$1${REMOVED}`],
  [/\b(bearer|basic) +[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REMOVED}`],
  [/\b(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@/\s"]*@/gi, `$1:${REMOVED}@`],
  [/\b([\w.-]*(?:session_token|session_data)=)[^;\s"]+/gi, `$1${REMOVED}`],
  // Binary columns, as PostgreSQL quotes them in error details: indexes, salts, hashes.
  [/\\\\x[0-9a-f]{16,}/gi, REMOVED],
];

/** Removes everything that looks like a secret from a finished line. */
export const redactText = (line: string): string =>
  SECRET_TEXTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
