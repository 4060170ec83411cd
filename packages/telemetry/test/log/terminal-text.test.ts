import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prettyLine } from '../../src/log/log.ts';
import { terminalLine, terminalText } from '../../src/log/terminal-text.ts';

const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/u;
const text = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xa0 }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('\u061c', '\u200e', '\u202e', '\u2066', '\u2069', 'ä', '🚀', '\ud800'),
  ),
});

describe('text for a terminal', () => {
  test('has no character that can change the terminal, except line feeds and tabs', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(terminalText(given).replaceAll(/[\n\t]/g, '')).not.toMatch(UNSAFE);
        expect(terminalLine(given)).not.toMatch(UNSAFE);
      }),
    );
  });

  test('is the same JSON when it is JSON', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(JSON.parse(terminalText(JSON.stringify({ [given]: given })))).toEqual({ [given]: given });
      }),
    );
  });

  test('is one line of the log for people, whatever was logged', () => {
    // The log adds these colors itself.
    const colors = [2, 22, 31, 39].map((code) => `\u001b[${code}m`);
    const plain = (line: string): string => colors.reduce((rest, color) => rest.replaceAll(color, ''), line);
    fc.assert(
      fc.property(text, (given) => {
        const line = { time: 0, level: 50, msg: given, err: { message: given, stack: given }, field: given };
        const shown = plain(prettyLine(JSON.stringify(line), false));
        expect(shown.endsWith('\n')).toBe(true);
        expect(shown.slice(0, -1)).not.toMatch(UNSAFE);
        const withStack = plain(prettyLine(JSON.stringify(line), true));
        expect(withStack.replaceAll(/[\n\t]/g, '')).not.toMatch(UNSAFE);
      }),
    );
  });
});
