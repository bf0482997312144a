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
  },
} as const;

eachLook(['en', 'zh'] as const, (language) => {
  test('a plan is made, paid by card and from the balance, cancelled, kept and ended', async () => {
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
});
