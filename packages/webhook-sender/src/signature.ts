import { createHmac, randomBytes } from 'node:crypto';

/** Signatures of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 with a shared secret. */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A message to sign. */
export interface Message {
  /** Names the event. A repeat of the same event has the same id. Without a point. */
  readonly id: string;
  readonly body: Uint8Array;
  /** Time of this attempt, in milliseconds. Receivers refuse a message that is older than five minutes. */
  readonly nowMs: number;
}

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export const createSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * Returns the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of a message, with a signature for each
 * secret in their order. Throws if a secret is not `whsec_` and 24 to 64 bytes in base64.
 */
export function signatureHeaders(message: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(message.nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', keyOf(secret))
      .update(`${message.id}.${timestamp}.`)
      .update(message.body);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  const base64 = secret.slice(PREFIX.length);
  const key = Buffer.from(base64, 'base64');
  const isValid = secret.startsWith(PREFIX) && BASE64.test(base64);
  if (!isValid || key.length < SECRET_BYTES_MIN || key.length > SECRET_BYTES_MAX)
    throw new Error('the secret of a webhook is malformed');
  return key;
}
