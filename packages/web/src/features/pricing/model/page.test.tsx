import { screen } from '@testing-library/react';
import { findFacts, modelMonthApi, pricingApi, type PricingItem, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown } from '../../../testing/render-page.tsx';
import { people, statusSample } from '../../../testing/samples.ts';
import { pricingSample } from '../../../testing/usage-samples.ts';

const extra = {
  group_ratio: { default: 1 },
  usable_group: { default: '' },
  auto_groups: [],
};
const siteWith = (...data: PricingItem[]) =>
  new FakeServer().answer(pricingApi.list, { data, extra }).answer(pricingApi.facts, ({ model }) => {
    const facts = findFacts(model);
    return { source: { name: 'LiteLLM', date: '2026-11-23' }, ...(facts && { facts }) };
  });
const known = pricingSample({ model_name: 'gpt-4o', model_ratio: 1.25, completion_ratio: 4 });
const unknown = pricingSample({ model_name: 'house-model' });

test('a model has a page: facts, prices by group, code, the playground, and the month of the site for administrators', async () => {
  const server = siteWith(known).answer(modelMonthApi.site, {
    model: 'gpt-4o',
    start: 0,
    rows: 3_210,
    before: 1_000_000,
    after: 500_000,
    left_out: { rows: 2, quota: 7 },
    complete: false,
  });
  server.answer(modelMonthApi.own, {
    model: 'gpt-4o',
    start: 0,
    rows: 0,
    before: 0,
    after: 0,
    left_out: { rows: 0, quota: 0 },
    complete: true,
  });
  const user = renderPage('/models/gpt-4o', { server, as: people.admin });
  await expect.poll(shown).toMatch(/OpenAI.*128K tokens.*Structured output/);
  await expect.poll(shown).toContain('"model": "gpt-4o"');
  expect(shown()).toContain('$10.00');
  const link = screen.getByRole('link', { name: 'Try in the playground' });
  expect(link.getAttribute('href')).toBe('/playground?model=gpt-4o');
  await user.click(screen.getByText('Usage of the whole site'));
  await user.click(screen.getByRole('button', { name: 'Calculate' }));
  await expect
    .poll(shown)
    .toMatch(
      /\$2\.00.*3,210 calls.*\$1\.00.*Difference-\$1\.00-50\.0%.*2 calls are left out.*only the earliest are included/,
    );
});

test('prices that depend on prompt length and service tier are listed', async () => {
  const tiered = pricingSample({
    model_name: 'gpt-4o',
    context_tiers: [{ above: 200_000, input: 2, output: 1.5 }],
    service_tiers: { batch: { factor: 0.5 } },
  });
  renderPage('/models/gpt-4o', { server: siteWith(tiered), as: null });
  await expect
    .poll(shown)
    .toContain('in the group default: over 200K of input: $5.00 in, $15.00 out · batch: $1.25 in, $5.00 out');
});

test('a model that is not offered shows that, with what is known of it', async () => {
  renderPage('/models/gpt-4o', { server: siteWith(unknown), as: null, language: 'zh' });
  await expect.poll(shown).toMatch(/未提供该模型.*最长输入128K Token/);
});

test('a model that its vendor shuts down has the date', async () => {
  renderPage('/models/gpt-4o-2024-08-06', { server: siteWith(unknown), as: null });
  await expect.poll(shown).toContain('Retired by vendor2027-01-14');
});

test('a site that hides its models from guests redirects them to the log-in', async () => {
  const server = siteWith(known).answer(statusApi.status, statusSample({ public_pricing: false }));
  renderPage('/models/gpt-4o', { server, as: null });
  expect(await screen.findByRole('button', { name: 'Log in' })).toBeTruthy();
  expect(server.inputs(pricingApi.list)).toEqual([]);
});
