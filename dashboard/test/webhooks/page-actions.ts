import type { Receiver } from '@svc/service/harness/webhooks/receiver.ts';
import type { Page } from 'playwright-core';
import type { WebhookWorld } from './world.ts';

/** What a person does on the pages of webhooks. */
export interface PageActions {
  readonly home: string;
  readonly dialog: () => ReturnType<Page['getByRole']>;
  readonly button: (name: string | RegExp) => ReturnType<Page['getByRole']>;
  /** Chooses an item of the menu of an endpoint. */
  readonly choose: (item: string) => Promise<void>;
  /** Creates an endpoint for the receiver and opens its page. `act` fills more of the form. Returns the secret. */
  readonly create: (receiver: Receiver, description: string, act?: () => Promise<unknown>) => Promise<string>;
  /** Sends a test event, and waits for what the dialog says about it. */
  readonly sendTest: (outcome: RegExp) => Promise<void>;
}

export function actionsOn(page: Page, { workspaceId }: WebhookWorld): PageActions {
  const home = `/w/${workspaceId}`;
  const dialog = () => page.getByRole('dialog');
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  return {
    home,
    dialog,
    button,
    choose: async (item) => {
      await button('More actions').click();
      await page.getByRole('menuitem', { name: item }).click();
    },
    create: async ({ url }, description, act) => {
      await page.goto(`${home}/webhooks`);
      await button('Create endpoint').first().click();
      await page.getByLabel('URL').fill(url);
      await page.getByLabel('Description').fill(description);
      await act?.();
      await dialog().getByRole('button', { name: 'Create endpoint' }).click();
      const secret = (await page.locator('[data-secret]').textContent()) ?? '';
      await button('Open the endpoint').click();
      await page.getByRole('heading', { name: description, level: 1 }).waitFor();
      return secret;
    },
    sendTest: async (outcome) => {
      await button('Send test event').click();
      await dialog().getByRole('status').filter({ hasText: outcome }).waitFor();
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await dialog().waitFor({ state: 'detached' });
    },
  };
}
