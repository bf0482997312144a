/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, openPage, openSession, overflows, visit } from './support/browser.ts';
import { openStage } from './support/journeys.ts';
import { type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

const prompt = (page: Page) => page.getByRole('textbox', { name: 'Prompt', exact: true });
const card = (page: Page) => page.getByRole('article').first();

async function make(page: Page, words: string): Promise<void> {
  await prompt(page).fill(words);
  await prompt(page).press('Control+Enter');
}

/** Waits for a picture, sound or video of the newest card, which must load without a click. */
async function shows(page: Page, tag: 'img' | 'audio' | 'video'): Promise<void> {
  const shown = card(page).locator(tag).first();
  await shown.evaluate(
    (element) =>
      element instanceof HTMLMediaElement
        ? element.readyState > 0 ||
          new Promise((resolve, reject) => {
            element.addEventListener('loadedmetadata', resolve);
            element.addEventListener('error', () => reject(new Error(element.error?.message)));
          })
        : element instanceof HTMLImageElement && element.decode(),
    undefined,
    { timeout: 60_000 },
  );
  const size = await shown.evaluate((element) =>
    element instanceof HTMLMediaElement ? element.duration : (element as HTMLImageElement).naturalWidth,
  );
  expect(size).toBeGreaterThan(0);
}

test('pictures and speech are made, shown and charged', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/playground?model=sandbox-image');
  await page.getByText('Price $0.01').waitFor();
  await make(page, 'a cat');
  await shows(page, 'img');
  await card(page).getByText('Cost $0.01').waitFor();
  expect(await accessFaults(page)).toEqual([]);

  await visit(page, site, '/playground?model=sandbox-speech');
  await page.getByRole('textbox', { name: 'Text to speak' }).fill('Hello there');
  await page.getByRole('button', { name: 'Generate speech' }).click();
  await shows(page, 'audio');
  await card(page).getByText(/^Cost/).waitFor();
  expect(problems).toEqual([]);
});

// Each waits for the sandbox, so they run at the same time.
test.concurrent('a video has its price shown before it is requested, is made, and played', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/playground?model=sandbox-video');
  await page.getByText('Price $0.04').waitFor();
  await make(page, 'a ball over a meadow');
  await card(page).getByRole('progressbar').waitFor();
  await shows(page, 'video');
  await card(page).getByText('Cost $0.04').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test.concurrent('a drawing is made, and upscaled by its button', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/playground?model=mj_imagine');
  await make(page, 'hills at dusk');
  await card(page).getByRole('button', { name: 'U1', exact: true }).click({ timeout: 60_000 });
  await card(page)
    .getByRole('button', { name: /Zoom Out 2x/ })
    .waitFor({ timeout: 60_000 });
  await shows(page, 'img');
  await card(page).getByText('Cost $0.05').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test.concurrent('a song is made, and played', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await visit(page, site, '/playground?model=suno_music');
  await make(page, 'rain');
  await shows(page, 'audio');
  await card(page).getByText('Cost $0.10').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test.concurrent('a failed task shows its reason, and its charge is returned; on a phone, too', async () => {
  const { page, problems } = await openPage(browser, { phone: true });
  await openSession(page, site);
  await visit(page, site, '/playground?model=mj_imagine');
  await make(page, 'hills, sandbox-fail');
  await page
    .getByText('Generation failed: the sandbox plays a drawing that fails')
    .waitFor({ timeout: 60_000 });
  await page.getByText('$0.10 refunded').waitFor();
  await card(page).getByText('Cost $0.00').waitFor();
  expect(await overflows(page)).toBe(false);
  expect(await accessFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
});
