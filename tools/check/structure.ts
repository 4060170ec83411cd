import { posix } from 'node:path';
import { proseOf, rowsOf } from './markdown.ts';
import { isCode, isTest, type Rule, type SourceFile } from './repository.ts';

/** Rules that keep the folders small, and ARCHITECTURE.md correct. */

const FILES_PER_FOLDER_MAX = 20;
/** Append-only and numbered: a file of these is never moved, and each change of the schema, or decision, adds one. */
const APPEND_ONLY: readonly string[] = ['service/migrations', 'docs/decisions'];
/** Without tests. */
const SERVICE_FILES_MAX = 280;
const SERVICE_LINES_MAX = 26_000;

const SERVICE = 'service/src/';
const MAP_DOC = 'ARCHITECTURE.md';
/** The map has a row for each folder that is directly in one of these. */
const MAPPED = ['', 'packages', 'service', 'service/src'];
/** Folders that need no row: those of tools (`.ci`), and those whose own folders have rows. */
const UNMAPPED = /^(?:\.|packages$|service$|service\/src$|service\/test$)/;

/** Each folder that is not append-only has at most FILES_PER_FOLDER_MAX files. The files of its folders do not count. */
export const smallFolders: Rule = (files) => {
  const folders = Map.groupBy(files, ({ path }) => posix.dirname(path));
  return [...folders]
    .filter(([path, { length }]) => length > FILES_PER_FOLDER_MAX && !APPEND_ONLY.includes(path))
    .map(([path, { length }]) => ({ path, message: `${length} files; at most ${FILES_PER_FOLDER_MAX}` }));
};

/** The service has at most SERVICE_FILES_MAX files and SERVICE_LINES_MAX lines, without tests. */
export const smallService: Rule = (files) => {
  const source = files.filter((file) => file.path.startsWith(SERVICE) && isCode(file) && !isTest(file));
  const lines = source.reduce((sum, file) => sum + lineCount(file), 0);
  return [
    ...(source.length > SERVICE_FILES_MAX ? [`${source.length} files; at most ${SERVICE_FILES_MAX}`] : []),
    ...(lines > SERVICE_LINES_MAX ? [`${lines} lines; at most ${SERVICE_LINES_MAX}`] : []),
  ].map((message) => ({ path: SERVICE, message: `${message}, without tests` }));
};

export const lineCount = ({ text }: SourceFile): number => text.replace(/\n$/, '').split('\n').length;

/**
 * The map of ARCHITECTURE.md has a row for each folder directly in the repository, `packages`, `service` and
 * `service/src`. Each path in the map exists.
 */
export const mapMatchesTree: Rule = (files) => {
  const map = files.find(({ path }) => path === MAP_DOC);
  if (map === undefined) return [{ path: MAP_DOC, message: 'is missing' }];
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const isThere = (path: string): boolean =>
    path.endsWith('/') ? folders.has(path.slice(0, -1)) : files.some((file) => file.path === path);
  const rows = rowsOf(map).flatMap(({ line, cells: [where = ''] }) =>
    [...where.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ line, path })),
  );
  const inMap = new Set(rows.map(({ path }) => path.replace(/\/$/, '')));
  return [
    ...rows
      .filter(({ path }) => !isThere(path))
      .map(({ line, path }) => ({ path: MAP_DOC, line, message: `there is no ${path}` })),
    ...[...folders]
      .filter((folder) => MAPPED.includes(parentOf(folder)) && !UNMAPPED.test(folder) && !inMap.has(folder))
      .map((folder) => ({ path: MAP_DOC, message: `the map has no row for ${folder}/` })),
  ];
};

/** Each file that ARCHITECTURE.md names in backticks exists, from the repository's root or from service/src. */
export const namedFilesExist: Rule = (files) => {
  const paths = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => path === MAP_DOC)
    .flatMap(proseOf)
    .flatMap(({ line, text }) =>
      [...text.matchAll(/`([\w./-]+\.(?:tsx?|sql|json))`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !paths.has(name) && !paths.has(SERVICE + name))
        .map((name) => ({ path: MAP_DOC, line, message: `there is no file ${name}` })),
    );
};

const parentOf = (folder: string): string => posix.dirname(folder).replace(/^\.$/, '');

const foldersOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));
