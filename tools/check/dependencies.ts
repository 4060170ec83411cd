import { importsOf } from './imports.ts';
import { type Finding, isTypeScript, type Rule, type SourceFile } from './repository.ts';

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

type Manifest = Partial<Readonly<Record<(typeof SECTIONS)[number], Readonly<Record<string, string>>>>>;

/** Every dependency is one version: what was tested is what is installed. */
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

/** Workspaces whose package.json names every package that their files import. */
const DECLARING = ['sdk'];
/** `pino`, `@svc/sdk/a` and the like; not `node:fs`, not a path. */
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?=\/|$)/;

/** A workspace declares what it imports. Otherwise it works only as long as another workspace installs the package. */
export const importsDeclared: Rule = (files) =>
  DECLARING.flatMap((workspace) => {
    const manifest = files.find(({ path }) => path === `${workspace}/package.json`);
    if (manifest === undefined) return [];
    const { name, ...sections } = JSON.parse(manifest.text) as Manifest & { readonly name: string };
    const declared = new Set([name, ...SECTIONS.flatMap((section) => Object.keys(sections[section] ?? {}))]);
    return files
      .filter((file) => file.path.startsWith(`${workspace}/`) && isTypeScript(file))
      .flatMap(importsOf)
      .filter(({ specifier }) => !/^(?:[./]|node:)/.test(specifier))
      .filter(({ specifier }) => !declared.has(PACKAGE.exec(specifier)?.[0] ?? specifier))
      .map(({ file: { path }, line, specifier }) => ({
        path,
        line,
        message: `${specifier} is not in ${manifest.path}`,
      }));
  });
