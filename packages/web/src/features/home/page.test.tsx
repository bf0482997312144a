import { screen } from '@testing-library/react';
import { statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { people, statusSample } from '../../testing/samples.ts';

const siteWith = (content: string) =>
  new FakeServer()
    .answer(statusApi.status, statusSample({ has_home_page: content !== '' }))
    .answer(statusApi.homePageContent, content);

test('a visitor sees the address and a link to get a token', async () => {
  renderPage('/', { server: siteWith(''), as: null });
  await expect.poll(shown).toMatch(/Every model behind one address.*https:\/\/gate\.example\/v1/);
  expect((await screen.findByRole('link', { name: 'Get an API token' })).getAttribute('href')).toBe('/login');
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
