import type { Plugin } from 'vite';
import { PAGE_PATHS } from '../src/page-paths.ts';

/** Beside what is built, for the service: the paths at which index.html is to be found. */
export function pageList(): Plugin {
  return {
    name: 'svc:page-list',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(PAGE_PATHS) });
    },
  };
}
