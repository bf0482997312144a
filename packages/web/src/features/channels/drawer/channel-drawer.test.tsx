import { screen, within } from '@testing-library/react';
import {
  channelApi,
  channelHealthApi,
  groupApi,
  modelApi,
  optionApi,
  pricesApi,
  type ChannelData,
  type ChannelTypeData,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { erase, renderPage } from '../../../testing/render-page.tsx';
import { channelSample, channelTypeSample, people, priceTablesSample } from '../../../testing/samples.ts';

const named = (type: number, id: string, name: string): ChannelTypeData =>
  channelTypeSample({ type, id, name: { zh: name, en: name } });
/** In the order of their numbers, as the server sends them. */
const types = [
  named(1, 'openai', 'OpenAI'),
  named(3, 'azure', 'Azure OpenAI'),
  named(8, 'custom', 'Custom'),
  named(14, 'anthropic', 'Anthropic'),
  named(33, 'bedrock', 'AWS Bedrock'),
  named(41, 'vertex', 'Vertex AI'),
  channelTypeSample({ type: 55, id: 'sora', name: { zh: 'Sora', en: 'Sora' }, models: [] }),
];
const siteOf = () =>
  new FakeServer()
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(channelApi.list, { data: [], extra: { total: 0 } })
    .answer(channelApi.types, types)
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(groupApi.list, ['default'])
    .answer(modelApi.byType, { 1: ['gpt-4o'] })
    .answer(channelApi.models, [])
    .answer(pricesApi.list, priceTablesSample({ 'gpt-4o': 1.25, 'Doubao-lite': 1, 'doubao-lite': 1 }));

/** The form for a new channel, once its providers are known. */
async function openForm({ server = siteOf(), as = people.admin } = {}) {
  const user = renderPage('/channel?edit=new', { server, as });
  const form = within(await screen.findByRole('dialog', { name: 'Add a channel' }));
  await form.findByDisplayValue('OpenAI');
  return { user, form };
}
const marked = (form: { queryAllByRole: (role: string) => HTMLElement[] }) =>
  form.queryAllByRole('textbox').filter((field) => field.getAttribute('aria-invalid') === 'true');

test('providers are listed by name, and those with similar names have icons of their own', async () => {
  const { user, form } = await openForm();
  await user.click(form.getByDisplayValue('OpenAI'));
  // Collapsed parts of the page have options as well, but no marks.
  const markOf = (option: HTMLElement) => option.querySelector<HTMLElement>('[style*="--mark-hue"]');
  const found = async () => (await screen.findAllByRole('option', { hidden: true })).filter(markOf);
  await expect.poll(async () => (await found()).length).toBe(types.length);
  const order = ['Anthropic', 'AWS Bedrock', 'Azure OpenAI', 'OpenAI', 'Sora', 'Vertex AI', 'Custom'];
  const options = await found();
  for (const [place, name] of order.entries()) expect(options[place]?.textContent).toContain(name);
  const marks = options.slice(0, 3).map((option) => markOf(option)!);
  const drawings = marks.map((mark) => mark.querySelector('path')?.getAttribute('d'));
  expect(new Set(drawings.filter(Boolean)).size).toBe(3);
  const hues = marks.map(({ style }) => style.getPropertyValue('--mark-hue'));
  expect(new Set(hues).size).toBe(3);
});

test('untouched fields are not marked as invalid', async () => {
  const { user, form } = await openForm();
  await user.click(form.getByRole('textbox', { name: 'Name' }));
  await user.click(form.getByRole('textbox', { name: 'Key' }));
  await user.click(form.getByRole('textbox', { name: 'Address' }));
  expect(marked(form)).toEqual([]);
});

test('an error of saving is removed once its field is filled in', async () => {
  const { user, form } = await openForm();
  await user.click(form.getByRole('button', { name: 'Create' }));
  await form.findByText('Please check the fields marked above');
  expect(marked(form).length).toBeGreaterThan(1);
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'main');
  await user.type(form.getByRole('textbox', { name: 'Key' }), 'sk-vendor');
  await user.click(form.getByRole('button', { name: 'Fill in the provider’s' }));
  await expect.poll(() => form.queryByText('Please check the fields marked above')).toBeNull();
  expect(marked(form)).toEqual([]);
});

test('an error of the key is removed with a provider of another key format', async () => {
  const { user, form } = await openForm();
  const key = form.getByRole('textbox', { name: 'Key' });
  await user.click(key);
  await user.paste('{\n"type": "service_account"\n}');
  await user.click(form.getByRole('textbox', { name: 'Address' }));
  await expect.poll(() => marked(form)).toHaveLength(1);
  await user.click(form.getByDisplayValue('OpenAI'));
  await user.click(await screen.findByRole('option', { hidden: true, name: /Vertex AI/ }));
  await expect.poll(() => marked(form)).toEqual([]);
});

test('a provider without known models shows that', async () => {
  const { user, form } = await openForm();
  expect(form.queryByText(/No built-in models for this provider/)).toBeNull();
  await user.click(form.getByDisplayValue('OpenAI'));
  await user.click(await screen.findByRole('option', { hidden: true, name: /Sora/ }));
  await form.findByText(/No built-in models for this provider/);
  expect(form.queryByRole('button', { name: 'Fill in the provider’s' })).toBeNull();
});

test('a model that is already listed is reported, and one that differs in case is another model', async () => {
  const { user, form } = await openForm();
  const models = form.getByRole('combobox', { name: 'Models' });
  const chosen = () => form.queryAllByText(/doubao-lite/i).map(({ textContent }) => textContent);
  await user.type(models, 'Doubao-lite,doubao-lite,');
  await expect.poll(chosen).toEqual(['Doubao-lite', 'doubao-lite']);
  await user.type(models, 'doubao-lite,');
  await screen.findByText('Some models already exist');
  expect(chosen()).toEqual(['Doubao-lite', 'doubao-lite']);
});

test('models without a price are named once they are fetched, and priced without leaving the form', async () => {
  const server = siteOf()
    .answer(channelApi.fetchModelsWith, ['gpt-4o', 'new-one', 'new-two'])
    .answer(optionApi.list, { data: [], extra: { secrets_set: [] } })
    .answer(pricesApi.update, { changed: 1 });
  const { user, form } = await openForm({ server, as: people.root });
  await user.type(form.getByRole('textbox', { name: 'Key' }), 'sk-vendor');
  expect(form.queryByText(/no price yet/)).toBeNull();
  await user.click(form.getByRole('button', { name: 'Fetch from upstream' }));
  const notice = (await form.findByText(/no price yet/)).textContent;
  expect(notice).toMatch(/^2 of 3 models have no price yet/);
  await user.type(await form.findByLabelText('Dollars per million of input for new-two'), '3');
  await user.type(form.getByLabelText('Dollars per million of output for new-two'), '15{Enter}');
  await screen.findByText('Prices saved');
  const seen = { ModelRatio: null, CompletionRatio: null };
  expect(server.inputs(pricesApi.update)).toEqual([
    { changes: [{ model: 'new-two', set: { ModelRatio: 1.5, CompletionRatio: 5 }, seen }] },
  ]);
  expect(server.inputs(channelApi.create)).toEqual([]);
});

test('the tools of a server are fetched like models, and have a price per call, which may be 0', async () => {
  const server = siteOf()
    .answer(channelApi.types, [...types, named(9002, 'tool-server', 'MCP tool server')])
    .answer(channelApi.fetchModelsWith, ['weather__now', 'weather__radar'])
    .answer(optionApi.list, { data: [], extra: { secrets_set: [] } })
    .answer(pricesApi.update, { changed: 2 });
  const { user, form } = await openForm({ server, as: people.root });
  await user.click(form.getByDisplayValue('OpenAI'));
  await user.click(await screen.findByRole('option', { hidden: true, name: /MCP tool server/ }));
  await user.type(form.getByRole('textbox', { name: 'Address' }), 'https://tools.test/v1');
  expect(form.queryByRole('button', { name: 'Remove /v1' })).toBeNull();
  await user.click(form.getByRole('button', { name: 'Fetch from upstream' }));
  await user.type(await form.findByLabelText('Dollars per call of weather__now'), '0');
  await user.type(form.getByLabelText('Dollars per call of weather__radar'), '0.004{Enter}');
  await screen.findByText('Prices saved');
  const seen = { ModelPrice: null };
  expect(server.inputs(pricesApi.update)).toEqual([
    {
      changes: [
        { model: 'weather__now', set: { ModelPrice: 0 }, seen },
        { model: 'weather__radar', set: { ModelPrice: 0.004 }, seen },
      ],
    },
  ]);
});

test('a new channel is tested with what is typed, before it is saved, and another value withdraws the result', async () => {
  const server = siteOf().refuse(channelApi.testWith, 'The upstream answered 401: Incorrect API key');
  const { user, form } = await openForm({ server });
  const run = form.getByRole('button', { name: 'Test what is entered' });
  await user.click(run);
  await expect.poll(() => marked(form).length).toBeGreaterThan(0);
  expect(server.inputs(channelApi.testWith)).toEqual([]);
  const key = form.getByRole('textbox', { name: 'Key' });
  await user.type(key, 'sk-wrong');
  await user.click(form.getByRole('button', { name: 'Fill in the provider’s' }));
  await user.click(run);
  await form.findByText(/Incorrect API key/);
  expect(server.inputs(channelApi.testWith)).toMatchObject([{ type: 1, key: 'sk-wrong', models: 'gpt-4o' }]);
  await user.type(key, 'er');
  expect(form.queryByText(/Incorrect API key/)).toBeNull();
  server.answer(channelApi.testWith, { data: null, extra: { time: 0.4 } });
  await user.click(run);
  await form.findByText(/It works/);
  expect(server.inputs(channelApi.create)).toEqual([]);
});

test('a server that needs no key is saved, tested and asked for its models without one', async () => {
  const made = channelSample({ type: 4, key_hint: '' });
  const server = siteOf()
    .answer(channelApi.types, [...types, named(4, 'ollama', 'Ollama')])
    .answer(channelApi.fetchModelsWith, ['gpt-4o'])
    .answer(channelApi.testWith, { data: null, extra: { time: 0.4 } })
    .answer(channelApi.create, [made]);
  const { user, form } = await openForm({ server });
  const label = () => form.getByRole<HTMLTextAreaElement>('textbox', { name: 'Key' }).labels[0]?.textContent;
  expect(label()).toMatch(/\*/);
  await user.click(form.getByDisplayValue('OpenAI'));
  await user.click(await screen.findByRole('option', { hidden: true, name: /Ollama/ }));
  await form.findByText(/Leave empty for a server without a key/);
  expect(label()).not.toMatch(/\*/);
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'own');
  await user.click(form.getByRole('button', { name: 'Fetch from upstream' }));
  await expect.poll(() => form.queryByText('gpt-4o')).not.toBeNull();
  await user.click(form.getByRole('button', { name: 'Test what is entered' }));
  await form.findByText(/It works/);
  await user.click(form.getByRole('button', { name: 'Create' }));
  await expect.poll(() => server.inputs(channelApi.create)).toMatchObject([{ type: 4, key: '' }]);
  expect(server.inputs(channelApi.fetchModelsWith)).toMatchObject([{ type: 4, key: '' }]);
});

test('prices are asked for of the names that a channel prices: before its mapping or after it', async () => {
  const mapped = channelSample({
    models: 'mine,gpt-4o',
    model_mapping: '{"mine":"gpt-4o","gpt-4o":"without-price"}',
    setting: '{"price_after_mapping":true}',
  });
  const findNotice = async (channel: ChannelData) => {
    const server = siteOf().answer(channelApi.get, channel);
    renderPage(`/channel?edit=${channel.id}`, { server, as: people.admin });
    const words = (await screen.findByText(/no price yet/)).textContent;
    erase();
    return words;
  };
  expect(await findNotice(mapped)).toMatch(/^1 of 1 models.*: without-price$/);
  expect(await findNotice({ ...mapped, setting: '' })).toMatch(/^1 of 2 models.*: mine$/);
});

test('the outgoing request is shown as the form stands, and no longer once something is changed', async () => {
  const server = siteOf().answer(channelApi.preview, ({ param_override: override }) => ({
    url: 'https://api.example.com/v1/chat/completions',
    headers: { authorization: 'Bearer [hidden]' },
    body: override,
    left_out: ['seed'],
  }));
  const { user, form } = await openForm({ server });
  await user.click(form.getByRole('button', { name: /^Mapping/ }));
  const override = await form.findByRole('textbox', { name: 'Parameter override' });
  await user.click(override);
  await user.paste('{"temperature":0}');
  await user.click(await form.findByRole('button', { name: 'Preview the outgoing request' }));
  const shown = await form.findByText(/POST https:\/\/api\.example\.com/);
  expect(shown.textContent).toContain('authorization: Bearer [hidden]');
  expect(shown.textContent).toContain('"temperature": 0');
  await form.findByText('Not sent: seed');
  await user.clear(override);
  await expect.poll(() => form.queryByText(/POST https/)).toBeNull();
});

test('limits of a channel are shown, changed and removed, and nothing else of its setting', async () => {
  const setting = JSON.stringify({
    drain: true,
    limits: { wait_seconds: 5, calls_at_once: 3, requests_per_minute: 60 },
  });
  const channel = channelSample({ setting });
  const server = siteOf().answer(channelApi.get, channel).answer(channelApi.update, channel);
  const user = renderPage(`/channel?edit=${channel.id}`, { server, as: people.admin });
  const form = within(await screen.findByRole('dialog', { name: 'Edit the channel' }));
  await user.click(await form.findByRole('button', { name: /^Limits/ }));
  await form.findByRole('textbox', { name: 'Requests a minute' });
  const field = (name: string) => form.getByRole<HTMLInputElement>('textbox', { name });
  expect(
    ['Requests a minute', 'Calls at once', 'Longest wait (seconds)'].map((name) => field(name).value),
  ).toEqual(['60', '3', '5']);
  await user.clear(field('Requests a minute'));
  await user.type(field('Dollars a day'), '2.50');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await expect.poll(() => server.inputs(channelApi.update).length).toBe(1);
  const [{ setting: sent = '', ...rest }] = server.inputs(channelApi.update) as [
    { id: number; setting?: string },
  ];
  expect(rest).toEqual({ id: channel.id });
  expect(JSON.parse(sent)).toEqual({
    drain: true,
    limits: { wait_seconds: 5, calls_at_once: 3, dollars_per_day: 2.5 },
  });
});
