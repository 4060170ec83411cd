import { expect } from 'vitest';
import { focused, goTo, press } from './keyboard.ts';
import { type PopupCase, type } from './popup-case.ts';

/** The endpoint of the cases, which the test creates. */
export const ENDPOINT_ID = 'whe_a';
const ENDPOINT = `/webhooks/${ENDPOINT_ID}`;

/** The popups of the pages of webhooks. */
export const WEBHOOK_POPUPS: Readonly<Record<string, PopupCase>> = {
  'Create a webhook endpoint': {
    files: ['pages/webhooks/create-webhook.tsx', 'pages/webhooks/created-webhook.tsx'],
    page: '/webhooks',
    trigger: 'Create endpoint',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'URL');
      await type(page, 'https://example.com/typed');
      await goTo(page, /^All events/);
      await page.keyboard.press('ArrowRight');
      await goTo(page, 'company.created');
      await page.keyboard.press('Space');
      await press(page, 'Create endpoint');
      await page.getByRole('heading', { name: 'The endpoint is created' }).waitFor();
      await press(page, 'Close');
      await page.getByRole('row', { name: /example\.com\/typed.*company\.created/ }).waitFor();
    },
  },
  'Edit a webhook endpoint': {
    files: ['pages/webhooks/endpoint/edit-webhook.tsx'],
    page: ENDPOINT,
    trigger: 'Edit',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, /^Description/);
      await type(page, 'Typed');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Typed' }).waitFor();
    },
  },
  'Send a test event': {
    files: ['pages/webhooks/endpoint/test-event.tsx'],
    page: ENDPOINT,
    trigger: 'Send test event',
    role: 'dialog',
    use: (page) => press(page, 'Close'),
  },
  'Rotate the secret of an endpoint': {
    files: ['pages/webhooks/endpoint/secret-section.tsx'],
    page: ENDPOINT,
    trigger: 'Rotate…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Rotate secret');
      await page.locator('[data-secret]').first().waitFor();
      await expect.poll(() => focused(page)).toBe('Rotate…');
    },
  },
  'Replay failed deliveries': {
    files: ['pages/webhooks/endpoint/webhook-actions.tsx', 'pages/webhooks/endpoint/replay-failed.tsx'],
    page: ENDPOINT,
    trigger: 'More actions',
    item: 'Replay failed deliveries…',
    role: 'alertdialog',
    use: (page) => press(page, 'Replay'),
  },
  'Replay events since a time': {
    files: ['pages/webhooks/endpoint/replay-since.tsx'],
    page: ENDPOINT,
    trigger: 'More actions',
    item: 'Replay since…',
    role: 'dialog',
    use: (page) => press(page, 'Cancel'),
  },
  'Delete a webhook endpoint': {
    files: ['pages/webhooks/endpoint/delete-webhook.tsx'],
    page: ENDPOINT,
    trigger: 'More actions',
    item: 'Delete…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Delete endpoint');
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    },
  },
};
