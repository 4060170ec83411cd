/** A byte of no UTF-8 text. It stands for a UTF-16 unit of no character, so that its line is refused and not repaired. */
const NO_CHARACTER = Buffer.from([0xff]);
const LONE_SURROGATE = /(\p{Surrogate})/u;

/** Bytes in UTF-8. If the input starts with the byte order mark of UTF-16, converts it; otherwise passes it on. */
export async function* utf8Of(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  let order: 'unknown' | 'utf8' | 'little' | 'big' = 'unknown';
  for await (const bytes of input) {
    if (order === 'utf8') {
      yield bytes;
      continue;
    }
    held = Buffer.concat([held, bytes]);
    if (order === 'unknown') {
      if (held.length < 2) continue;
      order = orderOf(held);
      if (order === 'utf8') {
        yield held;
        held = Buffer.alloc(0);
        continue;
      }
      held = held.subarray(2);
    }
    const whole = wholeBytes(held, order);
    yield converted(held.subarray(0, whole), order);
    held = held.subarray(whole);
  }
  // An odd byte, a single byte as the whole file, or the first half of a pair.
  if (held.length > 0) yield order === 'unknown' ? held : NO_CHARACTER;
}

function orderOf(bytes: Buffer): 'utf8' | 'little' | 'big' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'big' : 'utf8';
}

/** The length up to which no unit and no pair of surrogates is cut. */
function wholeBytes(bytes: Buffer, order: 'little' | 'big'): number {
  const even = bytes.length - (bytes.length % 2);
  if (even === 0) return 0;
  const last = order === 'little' ? bytes.readUInt16LE(even - 2) : bytes.readUInt16BE(even - 2);
  return last >= 0xd800 && last < 0xdc00 ? even - 2 : even;
}

function converted(bytes: Buffer, order: 'little' | 'big'): Buffer {
  const text = (order === 'little' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    text.split(LONE_SURROGATE).map((part, i) => (i % 2 === 0 ? Buffer.from(part) : NO_CHARACTER)),
  );
}
