import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { onTestFinished } from 'vitest';

/** Addresses of a name. With several lists, each query of a family gets the next one, and then always the last one. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>;

const TYPE_A = 1;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;
const NAME_ERROR = 3;

/** Starts a DNS server for the test, and returns its address. It does not answer for names whose list is empty. */
export async function startDnsServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    const lists = zone[name];
    const key = `${name} ${type}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    if (lists?.length === 0) return;
    const addresses = lists?.[Math.min(count, lists.length - 1)];
    socket.send(answerOf(query.subarray(0, end), type, addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return `127.0.0.1:${socket.address().port}`;
}

function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerOf(query: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const answers = (addresses ?? [])
    .map((text) => Buffer.from(ipaddr.parse(text).toByteArray()))
    .filter((bytes) => (type === TYPE_A && bytes.length === 4) || (type === TYPE_AAAA && bytes.length === 16))
    .map((bytes) => {
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
  const head = Buffer.from(query);
  head.writeUInt16BE(0x8180 | (addresses === undefined ? NAME_ERROR : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...answers]);
}
