// Duration of a rehearsal of prices: `node bench/rehearsal.ts [rows]` prices this number of charges again in its thread.
import { product } from '@tollgate/contract';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  declarationOf,
  price,
  type SettingKey,
  type SettingValue,
  usageOf,
} from '../packages/contract/src/index.ts';
import { buildConsumeLog } from '../packages/server/src/services/calls/metering/index.ts';
import { createFixedPrices } from '../packages/server/src/services/money/pricing/index.ts';
import { readValues } from '../packages/server/src/services/money/rehearsal/plan.ts';
import { startThread } from '../packages/server/src/services/money/rehearsal/thread.ts';
import { migrate, openStore } from '../packages/server/src/store/index.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-20250514', 'gemini-2.5-pro', 'deepseek-chat'];
const people = 500;
const settings = {
  get: <Key extends SettingKey>(key: Key) => declarationOf(key).default as SettingValue<Key>,
};

/** Charges of the last day, as the gateway writes them: some with cached tokens, some with reasoning tokens. */
function* charges(): Generator<Record<string, string | number | null>> {
  const book = createFixedPrices(settings);
  const now = Date.now();
  for (let id = 1; id <= rows; id += 1) {
    const model = models[id % models.length]!;
    const snapshot = book.snapshot(model, 'default', 'medium');
    const usage = usageOf({
      input: 100 + ((id * 7_919) % 9_000),
      output: 1 + ((id * 104_729) % 2_000),
      cacheRead: id % 3 === 0 ? (id * 31) % 5_000 : 0,
      reasoning: id % 4 === 0 ? (id * 13) % 900 : 0,
    });
    const bill = price(usage, snapshot);
    const user = 1 + (id % people);
    const row = buildConsumeLog({
      requestId: `bench-${id}`,
      userId: user,
      username: `user-${user}`,
      tokenId: user,
      tokenName: 'key',
      group: 'default',
      model,
      upstreamModel: model,
      isStream: true,
      channelId: 1,
      tries: [{ channelId: 1, ms: 2_100 }],
      usage,
      usageSource: 'upstream',
      bill,
      snapshot,
      endReason: 'complete',
      startedAt: now - 2_100,
      firstByteAt: now - 1_700,
      endedAt: now,
    });
    yield { ...row, quota: bill.quota };
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'rehearsal-'));
try {
  const store = await openStore({ url: '', dataDir });
  await migrate(store);
  await store.close();
  const raw = new DatabaseSync(join(dataDir, `${product.id}.db`));
  raw.exec('begin');
  let insert: ReturnType<typeof raw.prepare> | undefined;
  for (const row of charges()) {
    const columns = Object.keys(row);
    insert ??= raw.prepare(
      `insert into logs (${columns.map((column) => `"${column}"`).join()}) values (${columns.map(() => '?').join()})`,
    );
    insert.run(...Object.values(row));
  }
  raw.exec('commit');
  raw.close();
  const now = Math.floor(Date.now() / 1_000);
  const filter = { start: now - 86_400, end: now + 60, models: [], channelId: 0, userId: 0 };
  const draft = { ModelRatio: JSON.stringify({ ...settings.get('ModelRatio'), 'gpt-4o': 2 }) };
  for (let run = 0; run < 3; run += 1) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const plan = { filter, values: readValues(settings, draft) };
    const { total } = await startThread({ url: '', dataDir }, plan, () => undefined).result;
    const used = process.cpuUsage(cpu);
    const seconds = (performance.now() - start) / 1_000;
    const cpuSeconds = (used.user + used.system) / 1e6;
    console.log(
      `${total.rows} rows, ${total.before} → ${total.after} units: ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU`,
    );
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
