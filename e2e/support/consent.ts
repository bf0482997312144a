import type { Page } from 'playwright-core';

/** Logs in at the OpenID provider's own pages and consents. */
export async function consent(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
