import { capitalized } from '@svc/sdk/contract';
import type { Plugin } from 'vite';
import { PAGE_HEADS, type PageHead } from '../src/page-heads.ts';
import { PAGE_PATHS } from '../src/page-paths.ts';
import { DATA_RESOURCES } from '../src/resources/resources.ts';

const HEADS: Readonly<Record<string, PageHead>> = PAGE_HEADS;
const LIST = '/w/$workspaceId/data/$resource';

/** Writes pages.json: the paths at which the service serves index.html, each with the head that it shows at first. */
export function pageList(): Plugin {
  const pages = PAGE_PATHS.flatMap((path) =>
    path.includes('$resource')
      ? DATA_RESOURCES.map(({ name, plural, description }) => ({
          path: path.replace('$resource', name),
          ...(path === LIST ? { title: capitalized(plural), description } : {}),
        }))
      : [{ path, ...HEADS[path] }],
  );
  return {
    name: 'svc:page-list',
    // The service inserts the heads of a build. The development server shows pages without them.
    transformIndexHtml: (html, { server }) =>
      server === undefined ? html : html.replaceAll(/%PAGE_(TITLE|DESCRIPTION)%/g, ''),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) });
    },
  };
}
