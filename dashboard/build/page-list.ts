import type { Plugin } from 'vite';
import { PAGE_PATHS } from '../src/page-paths.ts';
import { DATA_RESOURCES } from '../src/resources/resources.ts';

/** Writes pages.json, the list of paths at which the service serves index.html. */
export function pageList(): Plugin {
  const paths = PAGE_PATHS.flatMap((path) =>
    path.includes('$resource') ? DATA_RESOURCES.map(({ name }) => path.replace('$resource', name)) : [path],
  );
  return {
    name: 'svc:page-list',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) });
    },
  };
}
