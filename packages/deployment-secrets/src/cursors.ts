import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { CURSOR_LIFETIME_SECONDS } from '@svc/sdk/contract';
import { deriveKey, fingerprintOf } from './index.ts';

/**
 * A gap between two items of an ordered list, directly before or after the item with this sort key and id. The gap stays
 * valid if the item is deleted.
 */
export interface Position {
  readonly side: 'before' | 'after';
  /** The value of the sort column as PostgreSQL writes it, with microseconds. Never a Date. */
  readonly key: string;
  readonly id: string;
  /** The item's `id_order`, hexadecimal. Undefined: its list has none, or the cursor is from an earlier version. */
  readonly order?: string;
}

/** The list, sort and effective filters that a cursor is bound to, as one text. It is also bound to its workspace. */
export type Binding = string;

export type CursorFailure = 'invalid' | 'expired' | 'mismatch';

export interface CursorCodec {
  /** Identifies the secret that issues cursors, without revealing it. */
  readonly issuer: string;
  /** Issues a cursor. The same position, issued in the same second, gives the same text. */
  encode(position: Position, binding: Binding, workspaceId: string, nowMs: number): string;
  /** Opens a cursor. Checks in this order: invalid, expired, mismatch. It never throws. */
  decode(text: string, binding: Binding, workspaceId: string, nowMs: number): Position | CursorFailure;
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;
const CIPHER = 'aes-256-gcm';
/** The most cursors that are remembered. */
const REMEMBERED_MAX = 4_000;
/** The most characters of one of them. So all of them and their contents take at most 7 MB, and without filters 2. */
const REMEMBERED_LENGTH_MAX = 700;

// A node of version 0.1.0 ignores the order. An order that ends in the id is shortened, because the id is there already.
type Payload = readonly [
  issuedAtSeconds: number,
  side: 0 | 1,
  key: string,
  id: string,
  binding: Binding,
  order?: string,
];

/**
 * Cursors are base64url of: version byte, synthetic nonce, AES-256-GCM with the workspace as associated data.
 * The nonce is a keyed hash of workspace and content, so equal content gives an equal text, and no two contents have the
 * same nonce. The first secret issues cursors. Cursors of all secrets are accepted (docs/assumptions.md, Lists and cursors).
 */
export function createCursorCodec(secrets: readonly string[]): CursorCodec {
  const keys = secrets.map((secret) => ({
    encryption: deriveKey(secret, 'cursor encryption'),
    nonce: deriveKey(secret, 'cursor nonce').toString('hex'),
  }));
  const [issuing] = keys;
  const [issuingSecret] = secrets;
  if (issuing === undefined || issuingSecret === undefined)
    throw new Error('A cursor codec needs at least one secret.');

  /** The cursors of a second, by their content: many clients may read a page, and sealing takes a tenth of the time. */
  const issued = new Map<string, string>();
  let second = 0;
  return {
    issuer: fingerprintOf(issuingSecret),

    encode(position, binding, workspaceId, nowMs) {
      const payload: Payload = [
        Math.floor(nowMs / 1000),
        position.side === 'after' ? 1 : 0,
        position.key,
        position.id,
        binding,
        ...(position.order === undefined
          ? ([] as const)
          : ([shortened(position.order, position.id)] as const)),
      ];
      const plain = JSON.stringify(payload);
      const content = `${workspaceId}\0${plain}`;
      if (payload[0] > second) {
        issued.clear();
        [second] = payload;
      }
      const known = issued.get(content);
      if (known !== undefined) return known;
      // The key comes first and has a fixed length, and the hash is cut off, so this is as safe as an HMAC.
      const nonce = hash('sha256', `${issuing.nonce}${content}`, 'buffer').subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, issuing.encryption, nonce).setAAD(Buffer.from(workspaceId));
      const sealed = cipher.update(plain, 'utf8');
      cipher.final();
      const bytes = [Buffer.of(VERSION), nonce, sealed, cipher.getAuthTag()];
      const text = Buffer.concat(bytes).toString('base64url');
      if (issued.size < REMEMBERED_MAX && text.length <= REMEMBERED_LENGTH_MAX) issued.set(content, text);
      return text;
    },

    decode(text, binding, workspaceId, nowMs) {
      const bytes = Buffer.from(text, 'base64url');
      // Decoding base64url is lenient. Only the text that encodes these bytes is a cursor.
      if (
        bytes.length <= HEADER_BYTES + TAG_BYTES ||
        bytes[0] !== VERSION ||
        bytes.toString('base64url') !== text
      )
        return 'invalid';
      for (const key of keys) {
        const payload = open(bytes, key.encryption, workspaceId);
        if (payload === undefined) continue;
        const [issuedAtSeconds, side, sortKey, id, issuedBinding, order] = payload;
        if (Math.floor(nowMs / 1000) - issuedAtSeconds > CURSOR_LIFETIME_SECONDS) return 'expired';
        if (issuedBinding !== binding) return 'mismatch';
        const position: Position = { side: side === 1 ? 'after' : 'before', key: sortKey, id };
        return order === undefined ? position : { ...position, order: restored(order, id) };
      }
      return 'invalid';
    },
  };
}

/** Stands for the id, hexadecimal, at the end of an order. */
const ID = '+';
const hexOf = (id: string): string => Buffer.from(id).toString('hex');

function shortened(order: string, id: string): string {
  const end = hexOf(id);
  return order.endsWith(end) ? `${order.slice(0, order.length - end.length)}${ID}` : order;
}

const restored = (order: string, id: string): string =>
  order.endsWith(ID) ? `${order.slice(0, -1)}${hexOf(id)}` : order;

function open(bytes: Buffer, key: Buffer, workspaceId: string): Payload | undefined {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, HEADER_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(workspaceId))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  // The text is authenticated, so it has the shape that `encode` gave it.
  return JSON.parse(plain.toString('utf8')) as Payload;
}
