import type { Finding, Rule, SourceFile } from './repository.ts';

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

type Manifest = Partial<Readonly<Record<(typeof SECTIONS)[number], Readonly<Record<string, string>>>>>;

/** Every dependency has one exact version, so that users install what was tested. */
export const dependenciesPinned: Rule = (files) =>
  files.filter(({ path }) => /(?:^|\/)package\.json$/.test(path)).flatMap(unpinned);

function unpinned({ path, text, lines }: SourceFile): readonly Finding[] {
  const manifest = JSON.parse(text) as Manifest;
  return SECTIONS.flatMap((section) => Object.entries(manifest[section] ?? {}))
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => ({
      path,
      line: lines.findIndex((line) => line.includes(`"${name}": "${version}"`)) + 1,
      message: `${name} is not pinned to one version: ${version}`,
    }));
}
