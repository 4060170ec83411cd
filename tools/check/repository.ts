import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository that is text. */
export interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** Something that must not be; `line` counts from 1 and is left out where the whole file is meant. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** One check of the whole repository. */
export type Rule = (files: readonly SourceFile[]) => readonly Finding[];

export const sourceFile = (path: string, text: string): SourceFile => ({
  path,
  text,
  lines: text.split('\n'),
});

/** The tracked files as they stand in the work tree; a new file counts once it is added to git. */
export function readRepository(root: string): readonly SourceFile[] {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  return paths
    .filter((path) => path !== '' && isFile(join(root, path)))
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')))
    .filter(({ text }) => !text.includes('\0'));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** A finding for each line that `message` has something to say of. */
export const findingsByLine = (
  { path, lines }: SourceFile,
  message: (line: string, index: number) => string | undefined,
): readonly Finding[] =>
  lines.flatMap((text, index) => {
    const found = message(text, index);
    return found === undefined ? [] : [{ path, line: index + 1, message: found }];
  });

/** Code that people read; `service/schema.sql` is generated. */
export const isCode = ({ path }: SourceFile): boolean =>
  /\.(?:tsx?|m?js|css|sql)$/.test(path) && path !== 'service/schema.sql';
export const isTypeScript = ({ path }: SourceFile): boolean => /\.tsx?$/.test(path);
/** Tests, and what exists for them alone. */
export const isTest = ({ path }: SourceFile): boolean =>
  /\.(?:test|fixture)\.tsx?$|(?:^|\/)test\//.test(path);
