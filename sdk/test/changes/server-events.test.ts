import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ServerEvent, ServerEventParser } from '../../src/http/server-events.ts';

/** Parses a stream whose bytes arrive in these chunks. */
function parse(chunks: readonly Uint8Array[]): { readonly events: ServerEvent[]; readonly retryMs: unknown } {
  const parser = new ServerEventParser();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const events = chunks.flatMap((bytes) => [...parser.push(decoder.decode(bytes, { stream: true }))]);
  return { events, retryMs: parser.retryMs };
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const parseText = (text: string) => parse([bytesOf(text)]);
const eventOf = (event: Partial<ServerEvent>): ServerEvent => ({
  event: 'message',
  data: undefined,
  id: undefined,
  ...event,
});

/** Text without the ends of lines, with characters of one to four bytes. */
const TEXT = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '€', '😀', '\u2028', '\u0085') });
const END = fc.constantFrom('\n', '\r\n', '\r');
const FIELD = fc.oneof(
  TEXT.map((value) => ({ kind: 'data' as const, value })),
  TEXT.map((value) => ({ kind: 'event' as const, value })),
  TEXT.map((value) => ({ kind: 'id' as const, value })),
  TEXT.map((value) => ({ kind: '' as const, value })),
  TEXT.map((value) => ({ kind: 'other' as const, value })),
);
type Field = { readonly kind: 'data' | 'event' | 'id' | '' | 'other'; readonly value: string };

/** What an event with these fields is. */
function expected(fields: readonly Field[]): ServerEvent {
  const last = (kind: Field['kind']) => fields.findLast((field) => field.kind === kind)?.value;
  const data = fields.filter(({ kind }) => kind === 'data').map(({ value }) => value);
  return eventOf({
    event: last('event') || 'message',
    data: data.length === 0 ? undefined : data.join('\n'),
    id: last('id') || undefined,
  });
}

describe('the parser of server-sent events', () => {
  test('gives the same events wherever the chunks are divided, and whatever ends the lines', () => {
    const events = fc.array(fc.array(FIELD, { maxLength: 5 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        events,
        fc.array(END, { minLength: 1 }),
        fc.array(fc.nat(40), { minLength: 1 }),
        (all, ends, sizes) => {
          let lines = 0;
          // CR and an empty line that ends with LF are one end of a line: then the end of the line before is LF.
          const lineOf = (text: string): string => {
            const end = ends[lines++ % ends.length] ?? '\n';
            return text + (end === '\r' ? '\r\n' : end);
          };
          const text = all
            .map(
              (fields) => fields.map(({ kind, value }) => lineOf(`${kind}: ${value}`)).join('') + lineOf(''),
            )
            .join('');
          const bytes = bytesOf(text);
          const chunks: Uint8Array[] = [];
          for (let at = 0, i = 0; at < bytes.length; i += 1) {
            const size = sizes[i % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += Math.max(size, sizes.some((one) => one > 0) ? 0 : 1);
            if (size === 0 && sizes.every((one) => one === 0)) chunks.push(bytes.subarray(at - 1, at));
          }
          expect(parse(chunks).events).toEqual(all.map(expected));
        },
      ),
    );
  });

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads lines that end with %s, one byte at a time', (_, end) => {
    const bytes = bytesOf(['id: 1', 'event: a', 'data: é', 'data:😀', '', 'id: 2', '', ''].join(end));
    const events = [eventOf({ id: '1', event: 'a', data: 'é\n😀' }), eventOf({ id: '2' })];
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(events);
    expect(parse([bytes]).events).toEqual(events);
  });

  test.each([
    ['a byte order mark', '\ufeffdata: a\n\n', [eventOf({ data: 'a' })]],
    ['comments and unknown fields', ': a\nother: b\ndata\n\n', [eventOf({ data: '' })]],
    ['only one space after the colon is left out', 'data:  a\n\n', [eventOf({ data: ' a' })]],
    ['an id with NUL, which is ignored', 'id: a\0\ndata: b\n\n', [eventOf({ data: 'b' })]],
    ['an empty id, which is ignored', 'id\ndata: b\n\n', [eventOf({ data: 'b' })]],
    ['an event that is cut, which is left out', 'data: a\n\ndata: b\n', [eventOf({ data: 'a' })]],
  ])('reads %s', (_, text, events) => {
    expect(parseText(text).events).toEqual(events);
  });

  test('reads the pause before the next connection, and ignores one that is not a number', () => {
    expect(parseText('retry: 1500\nretry: soon\nretry: -1\n').retryMs).toBe(1_500);
    expect(parseText('data: a\n\n').retryMs).toBeUndefined();
  });

  test.each([
    ['a line', ''],
    ['a comment', ':'],
    ['an event of many lines', 'data: x\n'],
  ])('refuses %s without an end, so that its memory is bounded', (_, start) => {
    const parser = new ServerEventParser();
    const part = start.endsWith('\n') ? start.repeat(8_192) : 'x'.repeat(65_536);
    let characters = 0;
    const push = (): void => {
      [...parser.push(start)];
      for (; characters < 64 * 1024 * 1024; characters += part.length) [...parser.push(part)];
    };
    expect(push).toThrow('more than 8 Mi characters');
    expect(characters).toBeLessThan(10 * 1024 * 1024);
  });
});
