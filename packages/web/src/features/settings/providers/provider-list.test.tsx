import { screen, within } from '@testing-library/react';
import { optionApi, signInProviderApi, type SignInProviderData, statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../../testing/render-page.tsx';
import { people, sampleTime, statusSample } from '../../../testing/samples.ts';

const works = (given: Partial<SignInProviderData> = {}): SignInProviderData => ({
  slug: 'works',
  kind: 'oidc',
  attributes: { email: '', name: '', groups: '' },
  name: 'The Works',
  logo: '',
  well_known: 'https://id.works.example',
  issuer: 'https://id.works.example',
  client_id: 'gate',
  scopes: 'openid email',
  enabled: true,
  position: 1,
  bindings: 0,
  only_way: 0,
  created_time: sampleTime,
  ...given,
});
const siteWith = (...providers: SignInProviderData[]) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ server_address: 'https://gate.example' }))
    .answer(optionApi.list, { data: [], extra: { secrets_set: [] } })
    .answer(signInProviderApi.list, providers);
const open = (server: FakeServer, language: 'en' | 'zh' = 'en') =>
  renderPage('/setting?tab=system&q=oidc.enabled', { server, as: people.root, language });

test('a provider is added with a redirect address that follows its short name', async () => {
  const server = siteWith().answer(signInProviderApi.create, null);
  const user = open(server);
  await user.click(await screen.findByRole('button', { name: 'Add a provider' }));
  const drawer = within(await screen.findByRole('dialog'));
  await user.type(await drawer.findByLabelText('Name'), 'The Works!');
  expect(drawer.getByLabelText('Redirect address')).toHaveProperty(
    'value',
    'https://gate.example/oauth/the-works',
  );
  await user.type(drawer.getByLabelText('Discovery address'), 'https://id.works.example');
  await user.type(drawer.getByLabelText('Client ID'), 'gate');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Please fill this in')).toBeDefined();
  await user.type(drawer.getByLabelText('Client secret'), 'hush');
  server.answer(signInProviderApi.list, [works()]);
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await expect.poll(shown).toContain('0 accounts bound');
  expect(server.inputs(signInProviderApi.create)).toEqual([
    {
      slug: 'the-works',
      kind: 'oidc',
      attributes: { email: '', name: '', groups: '' },
      name: 'The Works!',
      logo: '',
      well_known: 'https://id.works.example',
      client_id: 'gate',
      client_secret: 'hush',
      scopes: 'openid profile email',
      enabled: true,
      position: 1,
    },
  ]);
});

test('a SAML provider needs its metadata alone, and gets one address for all', async () => {
  const server = siteWith().answer(signInProviderApi.create, null);
  const user = open(server);
  await user.click(await screen.findByRole('button', { name: 'Add a provider' }));
  const drawer = within(await screen.findByRole('dialog'));
  await user.type(await drawer.findByLabelText('Name'), 'Corp');
  await user.click(drawer.getByRole('combobox', { name: 'Protocol' }));
  await user.click(await screen.findByRole('option', { hidden: true, name: 'SAML 2.0' }));
  expect(drawer.queryByLabelText('Client ID')).toBeNull();
  expect(drawer.getByText('Reads the metadata; nothing is saved')).toBeDefined();
  expect(drawer.getByLabelText('Entity ID, ACS and metadata address')).toHaveProperty(
    'value',
    'https://gate.example/api/oauth/saml/corp',
  );
  await user.type(
    drawer.getByLabelText('Address of the provider’s metadata'),
    'https://idp.example/metadata',
  );
  await user.type(drawer.getByLabelText('Attribute of the groups'), 'roles');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => server.inputs(signInProviderApi.create))
    .toEqual([
      {
        slug: 'corp',
        kind: 'saml',
        client_id: '',
        client_secret: '',
        scopes: 'openid profile email',
        name: 'Corp',
        logo: '',
        well_known: 'https://idp.example/metadata',
        attributes: { email: '', name: '', groups: 'roles' },
        enabled: true,
        position: 1,
      },
    ]);
});

test("a refusal is shown in the drawer with the server's message, in Chinese", async () => {
  const server = siteWith(works()).refuse(signInProviderApi.update, '获取 OIDC 配置失败');
  const user = open(server, 'zh');
  await user.click(await screen.findByRole('button', { name: '编辑 The Works' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByLabelText('标识')).toHaveProperty('disabled', true);
  expect(drawer.getByLabelText('Client Secret')).toHaveProperty('value', '');
  await user.click(drawer.getByRole('button', { name: '保存' }));
  expect((await drawer.findByRole('alert')).textContent).toContain('获取 OIDC 配置失败');
  expect(server.inputs(signInProviderApi.update)).toMatchObject([{ slug: 'works', client_secret: '' }]);
});

test('a trial shows what was found, and that the secret was refused', async () => {
  const server = siteWith(works()).answer(signInProviderApi.discover, {
    issuer: 'https://id.works.example',
    authorization_endpoint: 'https://id.works.example/auth',
    token_endpoint: 'https://id.works.example/token',
    userinfo_endpoint: 'https://id.works.example/me',
    scopes_unknown: ['groups'],
    client: 'refused',
  });
  const user = open(server);
  await user.click(await screen.findByRole('button', { name: 'Edit The Works' }));
  const drawer = within(await screen.findByRole('dialog'));
  await user.click(await drawer.findByRole('button', { name: 'Test' }));
  expect(await drawer.findByText('The secret was refused: check client ID and secret')).toBeDefined();
  expect(drawer.getByText(/does not list these scopes: groups/)).toBeDefined();
  expect(drawer.queryByText('This works')).toBeNull();
  expect(server.inputs(signInProviderApi.discover)).toMatchObject([
    { well_known: 'https://id.works.example', slug: 'works', client_secret: '' },
  ]);
  // A result belongs to the fields that were tried.
  await user.type(drawer.getByLabelText('Client secret'), 'x');
  await expect.poll(() => drawer.queryByText(/secret was refused/)).toBeNull();
});

test('deleting shows what happens to the bound accounts and sends the number that was shown', async () => {
  const server = siteWith(works({ bindings: 3, only_way: 1 })).answer(signInProviderApi.remove, null);
  const user = open(server);
  await user.click(await screen.findByRole('button', { name: 'Delete The Works' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText(/3 accounts are bound to it/)).toBeDefined();
  expect(dialog.getByText(/1 of them has no other way in/)).toBeDefined();
  expect(dialog.getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', true);
  await user.type(dialog.getByLabelText('Type “works” to confirm'), 'works');
  server.answer(signInProviderApi.list, []);
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await expect.poll(shown).toContain('None yet');
  expect(server.inputs(signInProviderApi.remove)).toEqual([{ slug: 'works', bindings: 3 }]);
});

test('a switch disables a provider and changes nothing else of it', async () => {
  const server = siteWith(works()).answer(signInProviderApi.update, null);
  const user = open(server);
  const toggle = await screen.findByRole('switch', { name: 'Enable The Works' });
  server.answer(signInProviderApi.list, [works({ enabled: false })]);
  await user.click(toggle);
  await expect
    .poll(() => server.inputs(signInProviderApi.update))
    .toMatchObject([{ slug: 'works', enabled: false }]);
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith().fail(signInProviderApi.list);
  const user = open(server);
  await expect.poll(shown).toContain('Could not load');
  server.answer(signInProviderApi.list, [works()]);
  await tryAgain(user);
  await expect.poll(shown).toContain('The Works');
});
