import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { closeVisitors, launchBrowser, openPage, openSession, type Look, type Watched } from './browser.ts';
import { administrator, setUp, startSite, type Site } from './site.ts';

/** Shared by the journeys of a file. */
export interface Stage {
  site: Site;
  browser: Browser;
  /** The key of the sandbox token. */
  key: string;
}

/**
 * Sets up a site and a browser before the journeys of a file; closes both after them, and the site then recomputes
 * every charge again.
 *
 * @param ready - receives both, and may prepare the site further
 */
export function openStage(ready: (stage: Stage) => void | Promise<void>): void {
  let stage: Stage;
  beforeAll(async () => {
    const site = await startSite();
    stage = { site, key: await setUp(site), browser: await launchBrowser() };
    await ready(stage);
  });
  afterAll(async () => {
    await closeVisitors();
    await stage.site.close();
  });
}

/** Runs journeys in each look or language: in the first one in `npm test`, in the others in `npm run test:deep`. */
export function eachLook<One>(looks: readonly One[], define: (look: One) => void): void {
  for (const [index, look] of looks.entries()) {
    const tags = index > 0 ? ['deep'] : [];
    describe(`in ${typeof look === 'string' ? look : JSON.stringify(look)}`, { tags }, () => {
      define(look);
    });
  }
}

interface Visitor {
  look?: Look;
  person?: typeof administrator;
}

/** A browser page of a logged-in person, the administrator by default; no address is opened in it yet. */
export async function openLoggedIn(
  { browser, site }: Pick<Stage, 'browser' | 'site'>,
  { look = {}, person = administrator }: Visitor = {},
): Promise<Watched> {
  const watched = await openPage(browser, look);
  await openSession(watched.page, site, person);
  return watched;
}
