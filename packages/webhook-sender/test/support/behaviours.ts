import type { Socket } from 'node:net';

const DRIP_MS = 10;

/** What a receiver does with a connection when a request arrives. */
export type Behaviour = (socket: Socket) => void;

/** Writes `start` once, and then text again and again, as fast as the reader reads, until the connection ends. */
export const flood =
  (text: string, start = ''): Behaviour =>
  (socket) => {
    const part = text.repeat(Math.ceil(16_384 / text.length));
    const more = (): void => {
      if (socket.writable) socket.write(part, () => setImmediate(more));
    };
    socket.write(start, more);
  };

/** Writes `start` once, and then a short text at intervals, until the connection ends. */
export const drip =
  (text: string, start = ''): Behaviour =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(text), DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  };

export const writeOnce =
  (text: string): Behaviour =>
  (socket) => {
    socket.write(text);
  };
