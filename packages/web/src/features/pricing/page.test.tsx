import { screen } from '@testing-library/react';
import { pricingApi, type PricingItem } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { pricingSample } from '../../testing/usage-samples.ts';

const groups = { group_ratio: { default: 1, vip: 0.5 }, usable_group: { default: '', vip: '' } };
const listOf = (...items: PricingItem[]) => ({ data: items, extra: groups });
const siteWith = (...items: PricingItem[]) => new FakeServer().answer(pricingApi.list, listOf(...items));

test('a guest sees what each model costs in the default group', async () => {
  const server = siteWith(
    pricingSample({ model_name: 'gpt-4o', model_ratio: 1.25, completion_ratio: 4 }),
    pricingSample({ model_name: 'draw', quota_type: 1, model_ratio: 0, model_price: 0.04 }),
  );
  renderPage('/pricing', { server, as: null });
  const tokens = await screen.findByRole('row', { name: /gpt-4o/ });
  expect(tokens.textContent).toMatch(/\$2\.5.*\$10/);
  expect((await screen.findByRole('row', { name: /draw/ })).textContent).toContain('$0.04 / call');
  await expect.poll(shown).toContain('these are the prices of the group default');
});

test('a site without models says so', async () => {
  renderPage('/pricing', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toMatch(/您的默认分组为 default.*没有可用的模型/);
});

test('a list that fails to load says so and comes when it is asked for again', async () => {
  const server = siteWith().fail(pricingApi.list);
  const hands = renderPage('/pricing', { server, as: null });
  await expect.poll(shown).toContain('Could not load');
  server.answer(pricingApi.list, listOf(pricingSample({ model_name: 'late-model' })));
  await tryAgain(hands);
  await expect.poll(shown).toContain('late-model');
});

test('a search leaves the models that match', async () => {
  const server = siteWith(pricingSample({ model_name: 'gpt-4o' }), pricingSample({ model_name: 'claude' }));
  const hands = renderPage('/pricing', { server, as: null });
  await hands.type(await screen.findByRole('textbox', { name: 'Model name' }), 'clau{Enter}');
  await expect.poll(shown).not.toContain('gpt-4o');
  await expect.poll(shown).toContain('claude');
});
