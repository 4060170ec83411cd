import { containsToken } from '@svc/sdk/contract';
import { findingsByLine, isCode, isTest, isTypeScript, type Rule } from './repository.ts';
import { lineCount } from './structure.ts';

/** Rules about the text of files. Their patterns are written so that they do not match this file. */

const LINES_MAX = 250;

export const shortFiles: Rule = (files) =>
  files
    .filter(isCode)
    .map((file) => ({ path: file.path, count: lineCount(file) }))
    .filter(({ count }) => count > LINES_MAX)
    .map(({ path, count }) => ({ path, message: `${count} lines; at most ${LINES_MAX}` }));

/** The formatter breaks code at 110 characters. Comments, and code that it cannot break, may be slightly longer. */
const CHARACTERS_MAX = 125;
const URL_TEXT = /https?:\/\//;
const COMMENT_LINE = /^\s*(?:\/\/|\*|\/\*|--)/;
/** One text that cannot be divided: a string, a template, a regular expression. */
const LITERALS = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|[^/\\])+\/\w*/g;

/** A migration that a release contains never changes. */
const RELEASED = 'service/migrations/';

/** No line is too long, comments included. Exceptions: a line with a URL, one long literal, a template of several lines. */
export const shortLines: Rule = (files) =>
  files
    .filter((file) => isCode(file) && !file.path.startsWith(RELEASED))
    .flatMap((file) => {
      let isTemplate = false;
      return findingsByLine(file, (line) => {
        const wasTemplate = isTemplate;
        const isComment = !wasTemplate && COMMENT_LINE.test(line);
        const code = isComment ? line : line.replace(LITERALS, '');
        if (!isComment && (code.match(/(?<!\\)`/g)?.length ?? 0) % 2 === 1) isTemplate = !isTemplate;
        if (wasTemplate || isTemplate || URL_TEXT.test(line) || code.length <= CHARACTERS_MAX)
          return undefined;
        return `${code.length} characters; at most ${CHARACTERS_MAX}`;
      });
    });

const UNTYPED = /:\s*any\s*(?:[;,)=\]|&>{]|$)|\bas\s+any\b|<any[>,]|\bany\[\]/;
const SILENCED = /@ts-(?:ignore|expect-error|nocheck)\b/;

export const typed: Rule = (files) =>
  files.filter(isTypeScript).flatMap((file) =>
    findingsByLine(file, (line) => {
      if (SILENCED.test(line)) return 'silences the compiler';
      const isComment = /^\s*(?:\*|\/[/*])/.test(line);
      return !isComment && UNTYPED.test(line) ? 'has the type any: use unknown, or the real type' : undefined;
    }),
  );

const LEFT_OPEN = /\b(?:TO(?:DO)|FIX(?:ME))\b/;

export const nothingLeftOpen: Rule = (files) =>
  files
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap((file) =>
      findingsByLine(file, (line) => (LEFT_OPEN.test(line) ? 'do it, or write an issue' : undefined)),
    );

const FOCUSED = /\b(?:test|it|describe|suite)(?:\.\w+)*\.only\b/;
const SKIPPED = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails)\(/;
/** A test may name one of them to fake it. */
const WAITS = /(?<!\btoFake: \[')\bset(?:Timeout|Interval)\b|\btimers\/promises\b|(?<![\w.])sleep\(/;
/** It fails after one second by default, which a busy machine needs at times. */
const IMPATIENT = /\bvi\.wait(?:For|Until)\(/;
const PATIENT = 'packages/embedded-postgres/test/support/wait-for.ts';
const COMMENT = /(?:^|\s)\/\/ \w/;
/** Clients under a schedule of faults, and slow networks: these tests are about time, so they may wait for a time. */
const SCHEDULED = [
  'service/test/history/',
  'service/test/harness/postgres/proxy.ts',
  'packages/webhook-sender/test/support/behaviours.ts',
];

export const honestTests: Rule = (files) =>
  files
    .filter((file) => isTypeScript(file) && isTest(file))
    .flatMap((file) =>
      findingsByLine(file, (line, index) => {
        if (FOCUSED.test(line)) return 'runs alone and hides the other tests';
        if (WAITS.test(line) && !SCHEDULED.some((path) => file.path.startsWith(path)))
          return 'waits for a time; await the event, or poll with expect.poll or waitFor';
        if (IMPATIENT.test(line) && file.path !== PATIENT)
          return 'fails after one second; use expect.poll or waitFor of the harness';
        const reasoned = [index - 1, index, index + 1].some((near) => COMMENT.test(file.lines[near] ?? ''));
        return SKIPPED.test(line) && !reasoned ? 'is skipped without a comment that says why' : undefined;
      }),
    );

export const noTokens: Rule = (files) =>
  files.flatMap((file) =>
    findingsByLine(file, (line) => (containsToken(line) ? 'holds what looks like an API key' : undefined)),
  );

const MACHINE_PATH = /(?<![\w.])\/work\/|\/tmp\/bash/;

export const noMachinePaths: Rule = (files) =>
  files.flatMap((file) =>
    findingsByLine(file, (line) => (MACHINE_PATH.test(line) ? 'names a path of one machine' : undefined)),
  );
