import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { openPage, openSession } from './browser.ts';
import type { ListedPage } from './pages.ts';
import type { Site } from './site.ts';

/** Factor by which a visitor's processor is slower than the processor of this machine. */
const slowdown = 4;

/** A page is quiet after this long without a long task or a request, in ms. */
const quietMs = 1_200;

declare global {
  interface Window {
    pageTimes: { tasks: { start: number; duration: number }[]; paint: number };
  }
}

/** Records the times of a page from its start. */
function watchTimes(): void {
  window.pageTimes = { tasks: [], paint: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      window.pageTimes.tasks.push({ start: startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    window.pageTimes.paint = list.getEntries().at(-1)?.startTime ?? 0;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/** Waits for a period without long tasks, at most 20 s. */
async function waitForQuiet(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 20_000 }).catch(() => undefined);
  await page.waitForFunction(
    (quiet) => {
      const last = window.pageTimes.tasks.at(-1);
      return performance.now() - (last ? last.start + last.duration : 0) > quiet;
    },
    quietMs,
    { timeout: 20_000 },
  );
}

/** Times of one visit in ms: long tasks whole, their parts over 50 ms, and the largest paint. */
interface Visit {
  long: number;
  blocking: number;
  paint: number;
  requests: number;
  /** KB of script as transferred, compressed. */
  script: number;
}

/** One visit of a page by a browser with an empty cache. */
async function visitOnce(browser: Browser, site: Site, path: string, profile?: string): Promise<Visit> {
  const { page, context } = await openPage(browser);
  if (path !== '/login' && path !== '/register') await openSession(page, site);
  await page.addInitScript(watchTimes);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.clearBrowserCache');
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (profile !== undefined) {
    await devtools.send('Profiler.enable');
    await devtools.send('Profiler.setSamplingInterval', { interval: 500 });
    await devtools.send('Profiler.start');
  }
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  await page.goto(site.url + path);
  await waitForQuiet(page);
  if (profile !== undefined) {
    const { profile: taken } = await devtools.send('Profiler.stop');
    writeFileSync(profile, JSON.stringify(taken));
  }
  const { tasks, paint } = await page.evaluate(() => window.pageTimes);
  const scripts = requests.filter((request) => request.resourceType() === 'script');
  const sizes = await Promise.all(scripts.map(async (each) => (await each.sizes()).responseBodySize));
  await context.close();
  const long = tasks.reduce((sum, { duration }) => sum + duration, 0);
  const script = sizes.reduce((sum, size) => sum + size, 0) / 1024;
  return { long, blocking: long - 50 * tasks.length, paint, requests: requests.length, script };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Prints how long each page blocks a visitor with a slow processor, and what it loads, as medians of some visits. With
 * `profiles`, the last visit of each page writes a CPU profile to that folder.
 */
export async function measurePages(
  browser: Browser,
  site: Site,
  pages: readonly ListedPage[],
  { visits, profiles }: { visits: number; profiles?: string | undefined },
): Promise<void> {
  console.log(`| Page | Long tasks, ms | Blocking, ms | Largest paint, ms | Requests | Script, KB |`);
  console.log('|---|--:|--:|--:|--:|--:|');
  for (const { path } of pages) {
    const taken: Visit[] = [];
    for (let visit = 0; visit < visits; visit += 1) taken.push(await visitOnce(browser, site, path));
    const cells = (['long', 'blocking', 'paint', 'requests', 'script'] as const).map((key) =>
      Math.round(median(taken.map((each) => each[key]))),
    );
    console.log(`| ${path} | ${cells.join(' | ')} |`);
    if (profiles !== undefined) {
      const name = `${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.cpuprofile`;
      await visitOnce(browser, site, path, join(profiles, name));
    }
  }
}
