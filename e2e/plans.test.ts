import type { Browser } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startStripeSimulator } from '../packages/server/src/testing/upstream/stripe-simulator.ts';
import { accessFaults, overflows, visit } from './support/browser.ts';
import { eachLook, openLoggedIn, openStage } from './support/journeys.ts';
import { saveOptions, setUp, startSite } from './support/site.ts';

let browser: Browser;
openStage((stage) => {
  ({ browser } = stage);
});

const words = {
  en: {
    add: 'Add a plan',
    nameZh: 'Name in Chinese',
    nameEn: 'Name in English',
    price: /^Price at Stripe/,
    balance: 'Price from the balance (dollars)',
    create: 'Create',
    saved: 'The plan is saved',
    byBalance: 'Subscribe from the balance',
    byCard: 'Subscribe by card',
    renewsOn: /Renews on/,
    stop: 'Stop renewing',
    endsOn: /Ends on/,
    keep: 'Keep it',
    stopping: 'Ends with the period',
    end: 'End',
    ended: 'The subscription has ended',
    plan: 'Pro',
    saveCard: 'Save a card',
    below: 'When the balance is below ($)',
    auto: 'Top up automatically',
    save: 'Save',
    autoSaved: 'Automatic top-up is saved',
    declined: 'The last charge was declined, and automatic top-up is off.',
    remove: 'Remove the card',
    noCard: 'No card is saved yet',
  },
  zh: {
    add: '添加套餐',
    nameZh: '中文名称',
    nameEn: '英文名称',
    price: /^Stripe 价格/,
    balance: '余额价格（美元）',
    create: '创建',
    saved: '套餐已保存',
    byBalance: '余额订阅',
    byCard: '银行卡订阅',
    renewsOn: /\d 续订$/,
    stop: '取消续订',
    endsOn: /\d 结束$/,
    keep: '继续订阅',
    stopping: '期末结束',
    end: '结束',
    ended: '订阅已结束',
    plan: '专业版',
    saveCard: '保存银行卡',
    below: '余额低于（美元）',
    auto: '启用自动充值',
    save: '保存',
    autoSaved: '自动充值已保存',
    declined: '上次扣款被拒，自动充值已停用。',
    remove: '移除银行卡',
    noCard: '还没有保存银行卡',
  },
} as const;

/** A site that sells by the stand-in of Stripe. */
async function openShop() {
  const stripe = await startStripeSimulator();
  const own = await startSite({ STRIPE_URL: stripe.url });
  onTestFinished(async () => {
    await own.close();
    await stripe.close();
  });
  await setUp(own);
  await saveOptions(own, {
    ServerAddress: own.url,
    'stripe.secret_key': stripe.key,
    'stripe.webhook_secret': stripe.webhookSecret,
    'stripe.enabled': 'true',
  });
  return { stripe, own };
}

eachLook(['en', 'zh'] as const, (language) => {
  test('a plan is made, paid by card and from the balance, cancelled, kept and ended', async () => {
    const { stripe, own } = await openShop();
    const w = words[language];
    const { page, problems } = await openLoggedIn({ browser, site: own }, { look: { language } });
    await visit(page, own, '/plans');
    await page.getByRole('button', { name: w.add }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel(w.nameZh).fill('专业版');
    await form.getByLabel(w.nameEn).fill('Pro');
    await form.getByLabel(w.price).fill('20');
    await form.getByLabel(w.balance).fill('25');
    expect(await accessFaults(page)).toEqual([]);
    await form.getByRole('button', { name: w.create }).click();
    await page.getByText(w.saved).waitFor();

    // By card: the page of Stripe, and its webhook.
    await visit(page, own, '/topup');
    await page.route(`${stripe.url}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Pay by card</h1>' }),
    );
    await page.getByRole('button', { name: w.byCard }).click();
    await page.getByRole('heading', { name: 'Pay by card' }).waitFor();
    const name = [...stripe.checkouts.values()][0]?.fields.client_reference_id ?? '';
    stripe.pay(name);
    const webhook = `${own.url}/api/stripe/webhook`;
    expect(await stripe.send(webhook, stripe.event(name, 'invoice.paid'))).toBe(200);
    await visit(page, own, '/topup');
    await page.getByText(w.renewsOn).waitFor();
    await page.getByText('$210.00').first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('button', { name: w.stop }).click();
    await page.getByRole('dialog').getByRole('button', { name: w.stop }).click();
    await page.getByText(w.endsOn).waitFor();
    expect(stripe.subscription(name).cancel_at_period_end).toBe(true);
    await page.getByRole('button', { name: w.keep }).click();
    await page.getByText(w.renewsOn).waitFor();
    expect(stripe.subscription(name).cancel_at_period_end).toBe(false);

    // The operator ends it, and it can be paid from the balance.
    await visit(page, own, '/plans');
    await page.getByRole('button', { name: w.end, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: w.end, exact: true }).click();
    await page.getByText(w.ended).waitFor();
    expect(stripe.subscription(name).status).toBe('canceled');
    await visit(page, own, '/topup');
    await page.getByRole('button', { name: w.byBalance }).click();
    await page.getByRole('dialog').getByRole('button', { name: w.byBalance }).click();
    await page.getByText(w.renewsOn).waitFor();
    await page.getByText('$195.00').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('a card is saved, charged when the balance is low, and stops when it is declined', async () => {
    const { stripe, own } = await openShop();
    const w = words[language];
    const { page, problems } = await openLoggedIn({ browser, site: own }, { look: { language } });
    await page.route(`${stripe.url}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Save your card</h1>' }),
    );
    await visit(page, own, '/topup');
    await page.getByRole('button', { name: w.saveCard }).click();
    await page.getByRole('heading', { name: 'Save your card' }).waitFor();
    stripe.pay([...stripe.checkouts.values()][0]?.fields.client_reference_id ?? '');
    await visit(page, own, '/topup');
    await page.getByText('visa 4242').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    // The balance is 200 dollars, so it is low at once.
    await page.getByLabel(w.below).fill('210');
    await page.getByRole('switch', { name: w.auto }).click();
    await page.getByRole('button', { name: w.save, exact: true }).click();
    await page.getByText(w.autoSaved).waitFor();
    await expect.poll(() => stripe.charges.length, { timeout: 20_000 }).toBe(1);
    await visit(page, own, '/topup');
    await page.getByText('$220.00').first().waitFor();
    stripe.setCards('card_declined');
    await page.getByLabel(w.below).fill('300');
    await page.getByRole('button', { name: w.save, exact: true }).click();
    await expect.poll(() => stripe.charges.length, { timeout: 20_000 }).toBe(2);
    await visit(page, own, '/topup');
    await page.getByText(w.declined).waitFor();
    await page.getByRole('button', { name: w.remove }).click();
    await page.getByRole('dialog').getByRole('button', { name: w.remove }).click();
    await page.getByText(w.noCard).waitFor();
    expect(problems).toEqual([]);
  });
});
