import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;
const PERIOD_SECONDS = 30;
const DIGITS = 6;

/** The code of an authenticator for an `otpauth:` URI (RFC 6238, SHA-1). `steps` is the number of periods after now. */
export function totpCode(uri: string, steps = 0): string {
  const secret = base32(new URL(uri).searchParams.get('secret') ?? '');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1_000 / PERIOD_SECONDS) + steps));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

function base32(text: string): Buffer {
  const bits = [...text.replaceAll('=', '')]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(BITS, '0'))
    .join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
