import { Socket } from 'node:net';

/** What pg gives a function that creates its socket. */
interface SocketNeeds {
  readonly ssl?: unknown;
}

/** A message has a type, then its length, which includes itself (PostgreSQL's documentation, chapter Message Flow). */
const TYPE_BYTES = 1;
const HEADER_BYTES = TYPE_BYTES + 4;
/** As many as Node.js reads at once. */
const READ_BYTES = 65_536;
/** Larger memory for messages that arrive in parts is not kept. */
const KEPT_BYTES_MAX = 1_048_576;

/** The end of the last complete message of the bytes before `end`. */
function endOfMessages(bytes: Buffer, end: number): number {
  let at = 0;
  while (at + HEADER_BYTES <= end) {
    const next = at + TYPE_BYTES + bytes.readUInt32BE(at + TYPE_BYTES);
    if (next > end) break;
    at = next;
  }
  return at;
}

/**
 * A socket for pg that reads into memory of its own and emits complete messages. Node.js allocates 64 KiB for each read, and
 * pg allocates again for a message that arrives in parts, as most pages do. The bytes of a `data` event are valid only
 * during the event. pg copies what it keeps, with two exceptions: the data of COPY, which such connections must not use, and
 * the salt of a sign-in with MD5, after which the server waits for pg. With TLS, returns an ordinary socket.
 */
export function messageSocket({ ssl }: SocketNeeds = {}): Socket {
  if (ssl) return new Socket();
  const read = Buffer.allocUnsafeSlow(READ_BYTES);
  /** Begins with `waiting` bytes of a message that is not complete. */
  let joined = Buffer.allocUnsafeSlow(READ_BYTES);
  let waiting = 0;
  const join = (count: number): Buffer => {
    if (waiting + count > joined.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (waiting + count));
      joined.copy(larger, 0, 0, waiting);
      joined = larger;
    }
    read.copy(joined, waiting, 0, count);
    return joined;
  };
  const socket: Socket = new Socket({
    onread: {
      buffer: read,
      callback(count) {
        const bytes = waiting === 0 ? read : join(count);
        const end = waiting + count;
        const complete = endOfMessages(bytes, end);
        if (complete > 0) socket.emit('data', bytes.subarray(0, complete));
        waiting = end - complete;
        if (waiting < KEPT_BYTES_MAX && joined.length > KEPT_BYTES_MAX)
          joined = Buffer.allocUnsafeSlow(KEPT_BYTES_MAX);
        if (bytes !== joined || complete > 0) bytes.copy(joined, 0, complete, end);
        return true;
      },
    },
  });
  return socket;
}
