import type { Plugin } from 'vite';
import { PAGE_PATHS } from '../src/page-paths.ts';

/** Writes pages.json, the list of paths at which the service serves index.html. */
export function pageList(): Plugin {
  return {
    name: 'svc:page-list',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(PAGE_PATHS) });
    },
  };
}
