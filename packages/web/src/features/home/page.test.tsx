import { screen } from '@testing-library/react';
import { pricingApi, type PricingItem, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';
import { pricingSample, noPriceGroups } from '../../testing/usage-samples.ts';

const siteWith = (content: string) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ has_home_page: content !== '' }))
    .answer(statusApi.homePageContent, content);

test('a visitor sees the address and a link to get a token', async () => {
  renderPage('/', { server: siteWith(''), as: null });
  await expect.poll(shown).toMatch(/Every model behind one address.*https:\/\/gate\.example\/v1/);
  expect((await screen.findByRole('link', { name: 'Get a key' })).getAttribute('href')).toBe('/login');
});

test('a signed-in user gets a link to the console', async () => {
  renderPage('/', { server: siteWith(''), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('一个地址，所有模型');
  expect((await screen.findByRole('link', { name: '打开控制台' })).getAttribute('href')).toBe('/token');
});

test("the operator's own page replaces the default one", async () => {
  renderPage('/', { server: siteWith('# Welcome to Acme'), as: null });
  expect((await screen.findByRole('heading', { name: 'Welcome to Acme' })).textContent).toBe(
    'Welcome to Acme',
  );
  await expect.poll(shown).not.toContain('Every model behind one address');
});

test('a page that fails to load leaves the default one', async () => {
  renderPage('/', { server: siteWith('# Welcome').fail(statusApi.homePageContent), as: null });
  await expect.poll(shown).toContain('Every model behind one address');
});

const offers = (...data: PricingItem[]) => ({ data, extra: noPriceGroups });
const example = () => document.querySelector('pre')?.textContent ?? '';

test('the example names a chat model that has a price and that the group of the reader may call', async () => {
  const list = offers(
    pricingSample({ model_name: 'a-model-without-price', unset: true }),
    pricingSample({ model_name: 'b-model-of-others', enable_groups: ['vip'] }),
    pricingSample({ model_name: 'dall-e-3' }),
    pricingSample({ model_name: 'qwen-max' }),
  );
  renderPage('/', { server: siteWith('').answer(pricingApi.list, list), as: null });
  await expect.poll(example).toContain('"model": "qwen-max"');
});

test('a site that offers no chat model says so and names none', async () => {
  const list = offers(pricingSample({ model_name: 'dall-e-3' }), pricingSample({ unset: true }));
  renderPage('/', { server: siteWith('').answer(pricingApi.list, list), as: null, language: 'zh' });
  await expect.poll(shown).toContain('本站目前还没有可以调用的对话模型');
  expect(example()).toContain('"model": "MODEL"');
});

test('a guest who may not see the models is asked to log in, and no list is requested', async () => {
  const server = siteWith('')
    .answer(statusApi.status, statusSample({ public_pricing: false }))
    .answer(pricingApi.list, offers(pricingSample({ model_name: 'secret-model' })));
  renderPage('/', { server, as: null });
  await expect.poll(shown).toContain('Log in to see the models');
  expect(server.inputs(pricingApi.list)).toEqual([]);
});
