/** @module-tag deep */
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openPriceLists } from '../packages/server/src/testing/upstream/price-lists.ts';
import { accessFaults, type Look, overflows, visit } from './support/browser.ts';
import { eachLook, openLoggedIn, openStage } from './support/journeys.ts';
import { callOnce, saveOptions, type Site } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
let key: string;
const lists = await openPriceLists();
openStage((stage) => {
  ({ site, browser, key } = stage);
});
afterAll(() => lists.close());

interface LogPage {
  items: { other: string }[];
}

const words = {
  en: {
    on: 'Turn on',
    dearer: 'Max increase (%)',
    rule: 'Choose by a rule',
    rehearse: 'Rehearse on past usage',
    start: 'Rehearse',
    charged: 'Charged',
    close: 'Close',
    approve: 'Approve 1 price',
    agree: 'Approve',
    correction: 'New correction',
    correct: 'Correct past charges…',
    reason: 'Reason',
    collect: 'Also collect what was undercharged',
    charges: /^Correct \d+ charges?…$/,
    begin: 'Begin',
    done: 'Done',
    receipt: 'Receipt',
    unfold: 'Expand',
    inAll: 'Total with corrections',
    undo: 'Undo…',
    undoIt: 'Undo',
    undone: 'Undone',
  },
  zh: {
    on: '启用',
    dearer: '最多上涨（%）',
    rule: '按规则选择',
    rehearse: '试算影响',
    start: '开始试算',
    charged: '原收费',
    close: '关闭',
    approve: '批准 1 个价格',
    agree: '批准',
    correction: '新的更正',
    correct: '更正过去的收费…',
    reason: '原因',
    collect: '同时补收少收的费用',
    charges: /^更正 \d+ 笔收费…$/,
    begin: '开始更正',
    done: '已完成',
    receipt: '收据',
    unfold: '展开',
    inAll: '更正后合计',
    undo: '撤销更正…',
    undoIt: '撤销更正',
    undone: '已撤销',
  },
};
type Words = (typeof words)['en' | 'zh'];

interface Margins {
  total: { charge: number; cost: number; margin: number };
}
const marginsNow = async (page: Page) =>
  (await callFrom(page, 'GET', '/api/margin/?by=model&model_name=sandbox-fast')) as Margins;

/** Corrects past charges to the current prices, as far as balances allow. */
async function correctPast(page: Page, say: Words): Promise<void> {
  await visit(page, site, '/correction');
  await page.getByRole('button', { name: say.correction }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: say.start }).click();
  await drawer.getByRole('button', { name: say.correct }).click();
  await drawer
    .getByLabel(say.reason)
    .fill('the price of output was mistyped in the table, and everybody paid it for a week');
  await drawer.getByLabel(say.collect).check();
  expect(await accessFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: say.charges }).click();
  await page.getByRole('button', { name: say.begin }).click();
  await drawer.getByText(say.done, { exact: true }).waitFor();
}

/** Opens one of the visible charges of the correction, checks that its receipt shows the correction, and goes back. */
async function lookAtReceipt(page: Page, say: Words): Promise<void> {
  const address = page.url();
  await page.getByRole('dialog').getByRole('link', { name: say.receipt }).first().click();
  const charge = page.getByRole('row', { name: /sandbox-fast/ }).last();
  await charge.waitFor();
  // Long words make no row wider than its frame.
  const beyond = await page
    .locator('main table')
    .first()
    .evaluate((each) => each.scrollWidth - (each.parentElement?.clientWidth ?? 0));
  expect(beyond).toBeLessThanOrEqual(0);
  await charge.getByRole('button', { name: say.unfold }).click();
  await page.getByText(say.inAll).waitFor();
  expect([await accessFaults(page), await overflows(page)]).toEqual([[], false]);
  await page.goto(address);
}

async function undoIt(page: Page, say: Words): Promise<void> {
  await page.getByRole('button', { name: say.undo }).click();
  const question = page.getByRole('dialog').last();
  await question.getByLabel(say.reason).fill('it was right');
  await question.getByRole('button', { name: say.undoIt, exact: true }).click();
  await page.getByRole('dialog').getByText(say.undone, { exact: true }).first().waitFor();
  expect([await accessFaults(page), await overflows(page)]).toEqual([[], false]);
}

eachLook(['en', 'zh'] as const, (language) => {
  test('lists are compared, a price is rehearsed on past usage and approved, the next call has its margin, and past charges are corrected and restored', async () => {
    const say = words[language];
    const places = JSON.parse(lists.sources) as Record<string, string>;
    const dollars = language === 'en' ? 3 : 4;
    const listed = { input_cost_per_token: dollars / 1e6, output_cost_per_token: (dollars * 2) / 1e6 };
    lists.answer('litellm', { 'sandbox-fast': { ...listed, litellm_provider: 'sandbox', mode: 'chat' } });
    lists.answer('models_dev', {
      sandbox: { models: { 'sandbox-fast': { cost: { input: dollars, output: dollars * 2 } } } },
    });
    await saveOptions(site, {
      // Each language uses other paths, so that no answer is from an earlier cache.
      PriceSyncSources: JSON.stringify({
        ...places,
        openrouter: language === 'en' ? places['openrouter'] : '',
      }),
      PriceSyncEnabled: 'false',
      CompletionRatio: JSON.stringify({ 'sandbox-fast': 2 }),
    });
    const { page, problems } = await openLoggedIn({ browser, site }, { look: { language } });
    await callFrom(page, 'PUT', '/api/channel/1/cost', { factor: 0.5, models: {}, reported: false });
    await callOnce(site, key);
    const before = await marginsNow(page);
    await visit(page, site, '/prices/vendors');
    await page.getByRole('button', { name: say.on }).click();
    await page.getByLabel(say.dearer).fill('60');
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: say.rule }).click();
    await page.getByRole('button', { name: say.rehearse }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: say.start }).click();
    await drawer.getByText(say.charged).first().waitFor();
    await drawer.getByText('sandbox-fast').first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await drawer.getByRole('button', { name: say.close }).click();
    await page.getByRole('button', { name: say.approve }).click();
    const review = page.getByRole('dialog');
    await review.getByRole('rowgroup').filter({ hasText: 'sandbox-fast' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await review.getByRole('button', { name: say.agree, exact: true }).click();
    await review.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /sandbox-fast/ }).waitFor({ state: 'detached' });
    await callOnce(site, key);
    const log = (await callFrom(page, 'GET', '/api/log/?p=1&page_size=1')) as LogPage;
    expect(JSON.parse(log.items[0]?.other ?? '{}')).toMatchObject({
      model_ratio: dollars / 2,
      completion_ratio: 2,
    });
    const after = await marginsNow(page);
    const [charge, cost] = [after.total.charge - before.total.charge, after.total.cost - before.total.cost];
    expect(charge).toBeGreaterThan(0);
    expect(Math.abs(cost - charge / 2)).toBeLessThanOrEqual(1);
    expect(after.total.margin).toBe(after.total.charge - after.total.cost);
    await correctPast(page, say);
    const corrected = await marginsNow(page);
    expect(corrected.total.charge).toBeGreaterThan(after.total.charge);
    expect(corrected.total.cost).toBe(after.total.cost);
    await lookAtReceipt(page, say);
    await undoIt(page, say);
    expect(await marginsNow(page)).toEqual(after);
    expect(problems).toEqual([]);
  });
});

const looks: Look[] = [
  { language: 'zh', theme: 'light' },
  { language: 'en', theme: 'dark' },
  { language: 'en', theme: 'light', phone: true },
];
eachLook(looks, (look) => {
  test('prices and vendor lists have no accessibility violation', async () => {
    const { page, problems } = await openLoggedIn({ browser, site }, { look });
    for (const path of ['/prices', '/prices/vendors']) {
      await visit(page, site, path);
      expect([path, await accessFaults(page), await overflows(page)]).toEqual([path, [], false]);
    }
    expect(problems).toEqual([]);
  });
});

test('on a phone a price per call is not named after a million tokens', async () => {
  const { page } = await openLoggedIn({ browser, site }, { look: { language: 'en', phone: true } });
  await visit(page, site, '/prices?q=mj_imagine');
  const card = page.getByRole('listitem').filter({ hasText: 'mj_imagine' }).first();
  expect(await card.innerText()).toMatch(/Per call\s+\$0\.10 \/ call/);
  expect(await card.innerText()).not.toContain('1M');
});
