import { posix } from 'node:path';
import { isTest, isTypeScript, type Rule, type SourceFile } from './repository.ts';

/**
 * Imports point one way (ARCHITECTURE.md, the map): a part may import those of its own layer and of the layers below.
 * A part is a folder of service/src, or a file directly in it. The parts of a layer must not import each other in a circle.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['main.ts', 'server'],
  ['app.ts'],
  ['api', 'dashboard', 'docs', 'jobs'],
  ['bulk', 'integrity', 'webhooks'],
  ['records', 'keys'],
  ['resources'],
  ['changes'],
  ['list', 'audit-log', 'signals'],
  ['http'],
  ['database', 'config'],
];

const SOURCE = 'service/src/';
const KEY_STORE = `${SOURCE}keys/store.ts`;
const HARNESS = 'service/test/harness/';
const SERVICE_MANIFEST = 'service/package.json';
const KEY_STORE_IMPORTERS = [`${SOURCE}dashboard/`, HARNESS];
const HARNESS_BY_NAME = '@svc/service/harness/';
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/;

interface Import {
  readonly file: SourceFile;
  readonly line: number;
  readonly specifier: string;
  /** Path of the imported file in the repository; undefined: a package. */
  readonly target: string | undefined;
}

/** The imports of a file, one per line. */
function importsOf(file: SourceFile): readonly Import[] {
  return file.lines.flatMap((text, index) => {
    const specifier = SPECIFIER.exec(text)?.[1];
    if (specifier === undefined) return [];
    return [{ file, line: index + 1, specifier, target: targetOf(file.path, specifier) }];
  });
}

function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  return specifier.startsWith(HARNESS_BY_NAME) ? specifier.replace(HARNESS_BY_NAME, HARNESS) : undefined;
}

/** `service/src/list/query.ts` → `list`; undefined: not a part of the service. */
const partOf = (path: string): string | undefined =>
  path.startsWith(SOURCE) ? path.slice(SOURCE.length).split('/')[0] : undefined;
const layerOf = (part: string): number => LAYERS.findIndex((layer) => layer.includes(part));

/** Imports between two parts of the service. Without those of tests, which may import everything. */
function crossings(files: readonly SourceFile[]) {
  return files
    .filter((file) => isTypeScript(file) && !isTest(file))
    .flatMap(importsOf)
    .flatMap(({ file, line, target }) => {
      const from = partOf(file.path);
      const to = target === undefined ? undefined : partOf(target);
      return from === undefined || to === undefined || from === to
        ? []
        : [{ path: file.path, line, from, to }];
    });
}

export const importDirections: Rule = (files) =>
  crossings(files).flatMap(({ path, line, from, to }) =>
    layerOf(from) > layerOf(to) && layerOf(to) !== -1
      ? [{ path, line, message: `${from} must not import ${to}: imports point one way, see LAYERS` }]
      : [],
  );

/** Every part of the service is in LAYERS. */
export const partsPlaced: Rule = (files) => {
  const parts = files.filter((file) => isTypeScript(file) && !isTest(file)).map(({ path }) => partOf(path));
  return [...new Set(parts)].flatMap((part) =>
    part === undefined || layerOf(part) !== -1
      ? []
      : [{ path: SOURCE + part, message: 'has no place in the order of imports, see LAYERS' }],
  );
};

/** The parts of a layer do not import each other in a circle. */
export const noCircles: Rule = (files) => {
  const within = crossings(files).filter(({ from, to }) => layerOf(from) === layerOf(to));
  const reachable = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const { to } of within.filter((edge) => edge.from === from && !seen.has(edge.to))) {
      seen.add(to);
      reachable(to, seen);
    }
    return seen;
  };
  return within
    .filter(({ from, to }) => reachable(to).has(from))
    .map(({ path, line, from, to }) => ({
      path,
      line,
      message: `${from} imports ${to}, which leads back to ${from}`,
    }));
};

/**
 * Only the dashboard creates, rotates and revokes keys (specification, 5.6). So no other workspace can import the key
 * store.
 */
export const keyStoreImporters: Rule = (files) => [
  ...files
    .filter(
      ({ path, text }) => path === SERVICE_MANIFEST && text.includes(KEY_STORE.slice('service/'.length)),
    )
    .map(({ path }) => ({ path, message: 'must not export keys/store.ts' })),
  ...files
    .filter(isTypeScript)
    .flatMap(importsOf)
    .filter(({ target }) => target === KEY_STORE)
    .filter(({ file }) => !KEY_STORE_IMPORTERS.some((folder) => file.path.startsWith(folder)))
    .map(({ file: { path }, line }) => ({
      path,
      line,
      message: `only ${KEY_STORE_IMPORTERS.join(' and ')} may import keys/store.ts`,
    })),
];

/** Imports of the SDK that leave no dependency: its build makes `server.ts` one file, with the packages that it imports. */
const BUNDLED: Readonly<Record<string, RegExp>> = {
  'sdk/src/cli/mcp/server.ts': /^@modelcontextprotocol\/server(?:\/stdio)?$/,
  'sdk/tools/bundle.ts': /^rolldown$/,
};

/** The SDK imports only its own files and modules of Node.js. */
export const sdkImportsNobody: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith('sdk/') && isTypeScript(file) && !isTest(file))
    .flatMap((file) =>
      importsOf(file)
        .filter(
          ({ specifier, target }) =>
            !(target?.startsWith('sdk/') ?? specifier.startsWith('node:')) &&
            !(BUNDLED[file.path]?.test(specifier) ?? false),
        )
        .map(({ line, specifier }) => ({
          path: file.path,
          line,
          message: `sdk must not import ${specifier}`,
        })),
    );

/**
 * The SDK's tests import the service and its test harness by package name, so that their paths do not depend on its
 * folders.
 */
export const sdkTestsImportByName: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith('sdk/') && isTypeScript(file) && isTest(file))
    .flatMap(importsOf)
    .filter(({ specifier, target }) => specifier.startsWith('.') && target?.startsWith('service/'))
    .map(({ file: { path }, line, specifier }) => ({
      path,
      line,
      message: `import ${specifier} by a name that ${SERVICE_MANIFEST} exports`,
    }));

const TESTING = /^@svc\/[^/]+\/testing$/;

/** `packages/a/src/b.ts` → `packages/a`; undefined: not part of a package. */
const packageOf = (path: string): string | undefined => /^packages\/[^/]+(?=\/)/.exec(path)?.[0];

const SDK = /^@svc\/sdk(?:\/|$)/;

/**
 * Of the other workspaces, a package imports only the SDK. The other workspaces import a package by its name, and only
 * tests import its `/testing`.
 */
export const packagesByName: Rule = (files) =>
  files
    .filter(isTypeScript)
    .flatMap(importsOf)
    .flatMap(({ file, line, specifier, target }) => {
      const from = packageOf(file.path);
      const to = target === undefined ? undefined : packageOf(target);
      const finding = (message: string) => [{ path: file.path, line, message }];
      const foreign = specifier.startsWith('@svc/') && !SDK.test(specifier);
      if (from !== undefined && (foreign || (target !== undefined && from !== to)))
        return finding(`${from} must not import ${specifier}`);
      if (from !== to && to !== undefined) return finding(`import ${to} by its name`);
      if (TESTING.test(specifier) && !isTest(file)) return finding(`only tests may import ${specifier}`);
      return [];
    });
