import type { Page } from 'playwright-core';
import { totpCode } from '../../service/test/harness/totp.ts';
import type { Demo } from './demo.ts';

/** Takes a picture of the page as it is. */
export type Snap = (name: string) => Promise<void>;

const PASSWORD = 'another horse, another battery';

/** Opens the link of an invitation, as a person without an account. Returns the email address. */
export async function openInvitation(page: Page, { invite }: Demo): Promise<string> {
  const { email, link } = await invite();
  await page.goto(link);
  await page.getByRole('heading', { name: /^Join / }).waitFor();
  return email;
}

/**
 * Accepts an invitation, sets up an authenticator, and signs in again up to the second step. Takes a picture of each
 * step. All pictures show one person, because the number of password attempts is limited.
 */
export async function openSecondStep(page: Page, demo: Demo, snap: Snap): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const email = await openInvitation(page, demo);
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.waitForURL(/\/w\//);
  await page.goto(`${demo.url}/account`);
  await page.getByRole('button', { name: 'Set up an authenticator' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
  await snap('authenticator');
  await page.getByRole('button', { name: 'Copy the key' }).click();
  const secret: string = await page.evaluate('navigator.clipboard.readText()');
  await page.getByLabel('Code from the app').fill(totpCode(`otpauth://totp/x?secret=${secret}`));
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
  await snap('backup-codes');
  await page.context().clearCookies();
  await page.goto(`${demo.url}/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code from your authenticator').waitFor();
}
