import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp, type Site, startSite } from '../support/site.ts';
import { makeClock } from './clock.ts';
import { furnishSite, testChannels } from './furnish.ts';
import { historyDays, liveThrough } from './history.ts';
import { openVendors, type Vendors } from './vendors.ts';

export interface BusySite extends Site {
  vendors: Vendors;
  /** The key of the sandbox token. */
  sandboxKey: string;
}

/**
 * A site of a small company with a month of traffic: real calls through the whole gateway to played vendors, made while
 * the server's clock moved through that month, so that balances, logs, sums and margins all agree.
 */
export async function openBusySite(settings: Record<string, string> = {}): Promise<BusySite> {
  const place = mkdtempSync(join(tmpdir(), 'clock-'));
  const clock = makeClock(place, Date.now() - (historyDays + 1) * 86_400_000);
  const vendors = await openVendors();
  const site = await startSite({ ...settings, ...clock.env });
  const sandboxKey = await setUp(site);
  const callers = await furnishSite(site, vendors.url);
  await liveThrough({ site, clock, vendors, callers });
  await testChannels(site);
  return {
    ...site,
    vendors,
    sandboxKey,
    close: async () => {
      await site.close();
      await vendors.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
