import { screen, within } from '@testing-library/react';
import { channelApi, groupApi, modelApi, type ChannelTypeData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { channelTypeSample, people } from '../../../testing/samples.ts';

const named = (type: number, id: string, name: string): ChannelTypeData =>
  channelTypeSample({ type, id, name: { zh: name, en: name } });
/** In the order of their numbers, as the server has them. */
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
    .answer(channelApi.list, { data: [], extra: { total: 0 } })
    .answer(channelApi.types, types)
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(groupApi.list, ['default'])
    .answer(modelApi.byType, { 1: ['gpt-4o'] })
    .answer(channelApi.models, []);

/** The form for a new channel, once its providers are known. */
async function openForm() {
  const user = renderPage('/channel?edit=new', { server: siteOf(), as: people.admin });
  const form = within(await screen.findByRole('dialog', { name: 'Add a channel' }));
  await form.findByDisplayValue('OpenAI');
  return { user, form };
}
const marked = (form: { queryAllByRole: (role: string) => HTMLElement[] }) =>
  form.queryAllByRole('textbox').filter((field) => field.getAttribute('aria-invalid') === 'true');

test('providers are listed by name, and those with similar names have icons of their own', async () => {
  const { user, form } = await openForm();
  await user.click(form.getByDisplayValue('OpenAI'));
  // What is folded away elsewhere on the page has options as well, but no marks.
  const markOf = (option: HTMLElement) => option.querySelector<HTMLElement>('[style*="--mark-hue"]');
  const found = async () => (await screen.findAllByRole('option', { hidden: true })).filter(markOf);
  await expect.poll(async () => (await found()).length).toBe(types.length);
  const order = ['Anthropic', 'AWS Bedrock', 'Azure OpenAI', 'OpenAI', 'Sora', 'Vertex AI', 'Custom'];
  const options = await found();
  for (const [place, name] of order.entries()) expect(options[place]?.textContent).toContain(name);
  const marks = options.slice(0, 3).map((option) => markOf(option)!);
  expect(marks.map(({ textContent }) => textContent)).toEqual(['An', 'AW', 'Az']);
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
