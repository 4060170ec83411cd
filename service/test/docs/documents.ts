import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../../..');
const GUIDES = 'docs/guides';

export const GUIDE_FILES: readonly string[] = readdirSync(join(REPOSITORY, GUIDES))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `${GUIDES}/${name}`)
  .sort();

/** Documents whose examples are run. */
export const DOCUMENTS: readonly string[] = ['README.md', 'docs/api.md', ...GUIDE_FILES];

export type Language = 'sh' | 'ts' | 'python';

export interface Example {
  readonly language: Language;
  readonly text: string;
  /** Its first line that tells it from others, for the name of its test. */
  readonly name: string;
}

export const readDocument = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

/** The examples of a document that call the service, in their order. */
export const examplesOf = (path: string): readonly Example[] =>
  [...readDocument(path).matchAll(/^```(sh|ts|python)\n(.*?)^```$/gms)].flatMap(
    ([, language, text = ''], index) =>
      language === 'sh' && !/\b(?:curl|svc) /.test(text)
        ? []
        : [{ language: language as Language, text, name: `${language} ${index + 1}` }],
  );

/** The first example in a language that a document has under a heading. Throws if there is none. */
export function exampleUnder(path: string, heading: string, language: 'sh' | 'sql'): string {
  const example = new RegExp(`^#+ ${heading}$[^]*?^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm');
  const text = example.exec(readDocument(path))?.[1];
  if (text === undefined) throw new Error(`${path} has no ${language} under "${heading}"`);
  return text;
}

/** Whether an example is a server. It runs until it is stopped. */
export const isServer = ({ text }: Example): boolean => /\.listen\(|\.serve_forever\(/.test(text);
