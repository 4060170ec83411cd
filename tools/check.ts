// `npm run check`: checks of the whole repository that the compiler, the linter and the tests do not do.

import { fileURLToPath } from 'node:url';
import { dependenciesPinned } from './check/dependencies.ts';
import {
  assumptionsPinned,
  errorsDocumented,
  linksLead,
  npxDownloadsNone,
  scriptsExist,
} from './check/docs.ts';
import {
  importDirections,
  keyStoreImporters,
  noCircles,
  packagesByName,
  partsPlaced,
  sdkImportsNobody,
  sdkTestsImportByName,
} from './check/imports.ts';
import { nodeVersionsAgree } from './check/node-version.ts';
import { promisesHeld } from './check/promises.ts';
import { type Finding, type Rule, readRepository } from './check/repository.ts';
import { mapMatchesTree, namedFilesExist, smallFolders, smallService } from './check/structure.ts';
import {
  honestTests,
  noMachinePaths,
  noTokens,
  nothingLeftOpen,
  shortFiles,
  shortLines,
  typed,
} from './check/text.ts';

const RULES: readonly Rule[] = [
  ...[importDirections, partsPlaced, noCircles, packagesByName],
  ...[keyStoreImporters, sdkImportsNobody, sdkTestsImportByName],
  ...[smallFolders, smallService, mapMatchesTree, namedFilesExist],
  ...[shortFiles, shortLines, typed, nothingLeftOpen, honestTests, noTokens, noMachinePaths],
  ...[linksLead, scriptsExist, npxDownloadsNone, errorsDocumented, assumptionsPinned, promisesHeld],
  ...[dependenciesPinned, nodeVersionsAgree],
];

const lineOf = ({ path, line, message }: Finding): string =>
  `${path}${line === undefined ? '' : `:${line}`}: ${message}`;

const files = readRepository(fileURLToPath(new URL('..', import.meta.url)));
const findings = RULES.flatMap((rule) => rule(files));
for (const finding of findings) console.log(lineOf(finding));
if (findings.length === 0) console.log('checks passed');
else process.exitCode = 1;
