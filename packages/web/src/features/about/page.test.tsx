import { statusApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';

const siteWith = (about: string) => new FakeServer().answer(statusApi.about, about);

test("the operator's text is shown, sanitized", async () => {
  const server = siteWith('<p>We are <b>Acme</b>.</p><script>window.broken = true</script>');
  renderPage('/about', { server, as: null });
  await expect.poll(shown).toContain('We are Acme.');
  await expect.poll(shown).not.toContain('broken');
});

test('without a text of the operator the page shows facts about the site', async () => {
  renderPage('/about', { server: siteWith(''), as: null });
  await expect.poll(shown).toMatch(/About Acme.*https:\/\/gate\.example.*1\.2\.3/);
});

test('the facts are shown in Chinese as well', async () => {
  renderPage('/about', { server: siteWith(''), as: null, language: 'zh' });
  await expect.poll(shown).toMatch(/关于 Acme.*接口地址/);
});

test('a text that fails to load leaves the facts', async () => {
  renderPage('/about', { server: siteWith('').fail(statusApi.about), as: null });
  await expect.poll(shown).toContain('About Acme');
});
