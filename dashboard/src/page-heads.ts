import type { PagePath } from './page-paths.ts';

export interface PageHead {
  readonly title: string;
  readonly description?: string;
}

/** The heads of pages that are the same for every workspace. index.html shows them while the code of the page is loaded. */
export const PAGE_HEADS = {
  '/w/$workspaceId': {
    title: 'Overview',
    description:
      'Requests with API keys in the selected time, and what the records of this workspace contain',
  },
  '/w/$workspaceId/keys': {
    title: 'API keys',
    description: 'Programs use API keys to access this workspace. Each key has the access that you choose.',
  },
  '/w/$workspaceId/log': {
    title: 'Audit log',
    description:
      'Requests with live keys, and changes that people make. Entries cannot be changed or deleted.',
  },
  '/w/$workspaceId/webhooks': {
    title: 'Webhooks',
    description:
      'The service sends events to these addresses: changes of records, and what happens to the workspace.',
  },
  '/w/$workspaceId/explorer': {
    title: 'Explorer',
    description:
      'Send requests as yourself or with a test key. Writes are dry runs: they are checked, but change nothing.',
  },
  '/w/$workspaceId/settings': { title: 'Settings' },
} as const satisfies Partial<Record<PagePath, PageHead>>;
