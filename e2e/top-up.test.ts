import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startStripeSimulator } from '../packages/server/src/testing/upstream/stripe-simulator.ts';
import { accessFaults, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { saveOptions, setUp, type Site, startSite } from './support/site.ts';
import { callFrom } from './support/traffic.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

const merchantKey = 'a key of the merchant';

/** The signature of the epay protocol: the sorted fields and the key, MD5. */
function sign(fields: Record<string, string>): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => value !== '' && name !== 'sign' && name !== 'sign_type')
    .toSorted(([one], [two]) => (one < two ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5')
    .update(signed + merchantKey)
    .digest('hex');
}

test('online payment is enabled, paid on the page of the provider, and credited', async () => {
  const { page, context, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/topup');
  await page.getByText('The administrator has not enabled online top-up!').waitFor();
  await page.getByRole('link', { name: 'Set payment up' }).click();
  await page.waitForURL('**/setting?q=Payment');
  await page.getByLabel('Merchant ID').fill('1001');
  await page.keyboard.press('Control+s');
  await page.getByText('Please fill in the server address first').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.keyboard.press('Control+s');
  await page.getByText("You don't seem to have changed anything").waitFor();

  for (const [key, value] of Object.entries({
    ServerAddress: site.url,
    PayAddress: 'https://pay.elsewhere.invalid',
    EpayId: '1001',
    EpayKey: merchantKey,
  }))
    await callFrom(page, 'PUT', '/api/option/', { key, value });

  await visit(page, site, '/topup');
  await page.getByRole('button', { name: '$10', exact: true }).click();
  await page.getByText('¥73.00').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  let posted: Record<string, string> = {};
  await context.route(/pay\.elsewhere\.invalid/, async (route) => {
    expect(route.request().method()).toBe('POST');
    posted = Object.fromEntries(new URLSearchParams(route.request().postData() ?? ''));
    await route.fulfill({ contentType: 'text/html', body: '<h1>Pay here</h1>' });
  });
  await page.getByRole('button', { name: 'Alipay' }).click();
  await page.getByRole('heading', { name: 'Pay here' }).waitFor();
  expect(posted).toMatchObject({ pid: '1001', type: 'alipay', money: '73.00', sign: sign(posted) });

  const paid: Record<string, string> = {
    pid: '1001',
    trade_no: 'of the provider',
    out_trade_no: posted.out_trade_no ?? '',
    type: 'alipay',
    name: posted.name ?? '',
    money: '73.00',
    trade_status: 'TRADE_SUCCESS',
  };
  const call = new URLSearchParams({ ...paid, sign: sign(paid), sign_type: 'MD5' });
  expect(await (await fetch(`${site.url}/api/user/epay/notify?${call}`)).text()).toBe('success');

  await visit(page, site, '/topup');
  await page.getByText('$210.00').waitFor();
  const row = page.getByRole('row').filter({ hasText: posted.out_trade_no ?? '' });
  expect(await row.innerText()).toContain('Credited');
  expect(problems).toEqual([]);
});

test('a card is charged on the page of Stripe, credited by its webhook, and paid back', async () => {
  const stripe = await startStripeSimulator();
  const own = await startSite({ STRIPE_URL: stripe.url });
  onTestFinished(async () => {
    await own.close();
    await stripe.close();
  });
  await setUp(own);
  const { page, problems } = await openLoggedIn({ browser, site: own });
  await saveOptions(own, {
    ServerAddress: own.url,
    'stripe.secret_key': stripe.key,
    'stripe.webhook_secret': stripe.webhookSecret,
    'stripe.currency': 'eur',
    'stripe.unit_price': '1.1',
    'stripe.enabled': 'true',
  });
  await visit(page, own, '/topup');
  await page.getByRole('button', { name: '$10', exact: true }).click();
  await page.getByText('€11.00').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.route(`${stripe.url}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Pay by card</h1>' }),
  );
  await page.getByRole('button', { name: 'Card and more (Stripe)' }).click();
  await page.getByRole('heading', { name: 'Pay by card' }).waitFor();
  const tradeNo = [...stripe.checkouts.values()][0]?.fields.client_reference_id ?? '';
  stripe.pay(tradeNo);
  const event = stripe.event(tradeNo, 'checkout.session.completed');
  expect(await stripe.send(`${own.url}/api/stripe/webhook`, event)).toBe(200);

  await visit(page, own, '/topup');
  await page.getByText('$210.00').waitFor();
  await visit(page, own, '/top-ups');
  const row = page.getByRole('row').filter({ hasText: tradeNo });
  await expect.poll(() => row.innerText()).toContain('Credited');
  expect(await row.innerText()).toContain('€11.00');
  await row.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('by mistake');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await page.getByText(/taken back, and €11.00 paid back/).waitFor();
  expect(stripe.refunds).toMatchObject([{ amount: 1_100, metadata: { trade_no: tradeNo } }]);
  expect(problems).toEqual([]);
});
