import { screen } from '@testing-library/react';
import { pricingApi, receiptApi, selfApi } from '@tollgate/contract';
import { afterEach, expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people, userSample } from '../../testing/samples.ts';
import { pricingSample, receiptSample, noPriceGroups } from '../../testing/usage-samples.ts';
import { chatOf } from './conversation/chat.ts';

const chat = '/pg/chat/completions';
const prices = (...models: string[]) => ({
  data: models.map((name) => pricingSample({ model_name: name })),
  extra: noPriceGroups,
});
const siteWith = (...models: string[]) =>
  new FakeServer()
    .answer(selfApi.get, userSample())
    .answer(selfApi.models, models)
    .answer(selfApi.groups, { default: { ratio: 1, desc: '' } })
    .answer(pricingApi.list, prices(...models))
    .answer(receiptApi.get, receiptSample());

const words = (text: string) => JSON.stringify({ choices: [{ delta: { content: text } }] });

/** Waits until a model is chosen, because nothing can be sent before that. */
async function modelChosen(name: string): Promise<void> {
  const field = () => screen.queryByRole<HTMLInputElement>('combobox', { name: 'Model' });
  await expect.poll(() => field()?.value).toBe(name);
}

// A conversation continues while other pages are open, and would continue into the next test.
afterEach(() => chatOf(people.user.id).startOver());

test('a question is answered in a stream, and its cost is shown', async () => {
  const server = siteWith('gpt-4o').stream(chat, () => [words('Hel'), words('lo!'), '[DONE]']);
  const user = renderPage('/playground', { server, as: people.user });
  await expect.poll(shown).toContain('$10.00');
  await modelChosen('gpt-4o');
  await user.type(await screen.findByRole('textbox', { name: 'Message' }), 'Hi there{Enter}');
  await expect.poll(shown).toMatch(/Hi there.*Hello!.*Cost \$0\.02/s);
  expect(server.bodies(chat)).toMatchObject([
    {
      model: 'gpt-4o',
      group: 'default',
      messages: [{ role: 'system' }, { role: 'user', content: 'Hi there' }],
    },
  ]);
});

test('an answer that breaks off keeps its text, shows the reason, and can be repeated', async () => {
  const broken = JSON.stringify({ error: { message: 'the line is cut', code: 'upstream_broken' } });
  const server = siteWith('gpt-4o').stream(chat, () => [words('Hel'), broken]);
  const user = renderPage('/playground', { server, as: people.user });
  await modelChosen('gpt-4o');
  await user.type(await screen.findByRole('textbox', { name: 'Message' }), 'Hi{Enter}');
  await expect.poll(shown).toMatch(/Hel.*the line is cut/s);
  server.stream(chat, () => [words('Hello again!'), '[DONE]']);
  await tryAgain(user);
  await expect.poll(shown).toContain('Hello again!');
});

test('without a model nothing can be sent, and that is shown', async () => {
  renderPage('/playground', { server: siteWith(), as: people.user, language: 'zh' });
  expect(await screen.findByPlaceholderText('没有可用的模型')).toBeDefined();
  expect(screen.getByRole('button', { name: '发送' })).toHaveProperty('disabled', true);
});

test('models that fail to load show an error and can be loaded again', async () => {
  const server = siteWith('gpt-4o').fail(selfApi.models);
  const user = renderPage('/playground', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(selfApi.models, ['gpt-4o']);
  await tryAgain(user);
  expect(await screen.findByRole('combobox', { name: 'Model' })).toHaveProperty('value', 'gpt-4o');
});
