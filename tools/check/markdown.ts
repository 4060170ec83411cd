import type { SourceFile } from './repository.ts';

/** A line of a document outside of code blocks. */
interface TextLine {
  readonly line: number;
  readonly text: string;
}

export function proseOf({ lines }: SourceFile): readonly TextLine[] {
  let fenced = false;
  return lines.flatMap((text, index) => {
    if (/^\s*(?:```|~~~)/.test(text)) fenced = !fenced;
    return fenced ? [] : [{ line: index + 1, text }];
  });
}

/** The rows of all tables of a document, without their headings. */
export function rowsOf(file: SourceFile): readonly (TextLine & { readonly cells: readonly string[] })[] {
  const prose = proseOf(file);
  const isHeading = (index: number): boolean => /^\|[\s:|-]+\|\s*$/.test(prose[index + 1]?.text ?? '');
  return prose
    .filter(({ text }, index) => text.startsWith('|') && !/^\|[\s:|-]+\|\s*$/.test(text) && !isHeading(index))
    .map((row) => ({
      ...row,
      cells: row.text
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    }));
}
