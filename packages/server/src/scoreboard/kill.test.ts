import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../store/each-dialect.ts';
import { makeCall } from '../testing/campaign/calls.ts';
import { Campaign } from '../testing/campaign/campaign.ts';
import { goodModel, openWorld } from '../testing/campaign/world.ts';
import { sized } from '../testing/scoreboard-size.ts';

const kills = sized(34, 2);

eachDialect('Q2 drift and Q3 acknowledged calls after kill -9', ({ open, url }) => {
  let dataDir: string;
  let campaign: Campaign;

  beforeEach(async () => {
    const store = await open();
    await store.close();
    dataDir = await mkdtemp(join(tmpdir(), 'tollgate-kill-'));
    campaign = new Campaign(await openWorld({ dataDir, databaseUrl: url() }), 16);
  });
  afterEach(async () => {
    await campaign.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('during 100 concurrent streams: the balance is the ledger, nothing acknowledged is missing, no hold is left', async () => {
    const { world } = campaign;
    for (let kill = 0; kill < kills; kill += 1) {
      const child = await campaign.start();
      const agent = new Agent({ keepAlive: true });
      // At the kill some calls have ended, some are in the middle, and some have left progress marks.
      const calls = Array.from({ length: 100 }, (_, i) => {
        const index = i % world.callers.length;
        const script = { chunks: 10 + i * 2, paceMs: 30, usage: i % 4 !== 0 };
        const call = { model: goodModel, stream: true, script, hangUpAfter: 0 };
        return makeCall({ url: child.url, agent, caller: world.callers[index]!, index, ...call });
      });
      // A slow machine needs longer until some of them end. The test needs some that have ended and most that have not.
      let over = 0;
      for (const call of calls) void call.then(() => (over += 1));
      for (let waited = 0; over < 25 && waited < 60_000; waited += 50) await sleep(50);
      await sleep(800);
      child.kill('SIGKILL');
      await child.ended;
      const records = await Promise.all(calls);
      agent.destroy();
      campaign.note('kill -9', records);
      expect(records.filter(({ end }) => end === 'broken').length).toBeGreaterThan(20);
    }
    await campaign.finish();
    expect(campaign.wrong).toEqual([]);
    const { acknowledged, recovered } = campaign.row('kill -9');
    expect(acknowledged).toBeGreaterThan(10);
    expect(recovered).toBeGreaterThan(10);
  }, 900_000);
});
