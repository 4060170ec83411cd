import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text file of the repository. */
export interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** A violation of a rule. `line` counts from 1; it is absent if the finding is about the whole file. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** A check of the whole repository. Returns the violations. */
export type Rule = (files: readonly SourceFile[]) => readonly Finding[];

export const sourceFile = (path: string, text: string): SourceFile => ({
  path,
  text,
  lines: text.split('\n'),
});

/** The text files that git tracks, with their content in the work tree. A new file counts after `git add`. */
export function readRepository(root: string): readonly SourceFile[] {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  return paths
    .filter((path) => path !== '' && isFile(join(root, path)))
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')))
    .filter(({ text }) => !text.includes('\0'));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** A finding for each line for which `message` returns a text. */
export const findingsByLine = (
  { path, lines }: SourceFile,
  message: (line: string, index: number) => string | undefined,
): readonly Finding[] =>
  lines.flatMap((text, index) => {
    const found = message(text, index);
    return found === undefined ? [] : [{ path, line: index + 1, message: found }];
  });

/** Code that people write. `service/schema.sql` is generated. */
export const isCode = ({ path }: SourceFile): boolean =>
  /\.(?:tsx?|m?js|css|sql)$/.test(path) && path !== 'service/schema.sql';
export const isTypeScript = ({ path }: SourceFile): boolean => /\.tsx?$/.test(path);
/** Tests, and code that only tests use. */
export const isTest = ({ path }: SourceFile): boolean =>
  /\.(?:test|fixture)\.tsx?$|(?:^|\/)test\//.test(path);
