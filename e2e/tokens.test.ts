/** @module-tag deep */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage, openSession, visit } from './support/browser.ts';
import { openLoggedIn, openStage } from './support/journeys.ts';
import { type Site } from './support/site.ts';

let site: Site;
let browser: Browser;
openStage((stage) => {
  ({ site, browser } = stage);
});

test('a token is created, used, limited, disabled and deleted', async () => {
  const { page, problems } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await page.getByRole('button', { name: 'Add key' }).first().click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Please enter a name').waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('laptop');
  await page.getByRole('button', { name: 'One month' }).click();
  await page.getByRole('button', { name: '$10', exact: true }).click();
  await page.getByLabel('Allowed IP addresses').fill('127.0.0.1');
  await page.getByRole('button', { name: 'Create', exact: true }).click();

  // The panel opens with the key in the code, and can make a real call.
  await page.getByText('Key created').waitFor();
  await page.getByRole('tab', { name: 'Python' }).click();
  const code = await page.getByLabel('Code for Python').innerText();
  expect(code).toContain(`base_url="${site.url}/v1"`);
  expect(code).toMatch(/api_key="sk-\w{48}"/);
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^Cost/).waitFor();
  await page.keyboard.press('Escape');

  const row = page.getByRole('row', { name: /laptop/ });
  expect(await row.innerText()).toContain('$10.00');
  await row.getByRole('button', { name: 'Disable' }).click();
  await row.getByText('Disabled', { exact: true }).waitFor();
  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('filters are in the address, and leaving a changed form asks first', async () => {
  const { page } = await openLoggedIn({ browser, site });
  await visit(page, site, '/token');
  await page.getByLabel('Search names').fill('nothing like it');
  await page.getByText('No key matches').waitFor();
  expect(page.url()).toContain('keyword=nothing');
  await page.reload();
  await page.getByText('No key matches').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();

  await page.getByRole('button', { name: 'Add key' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('half a thought');
  await page.keyboard.press('Escape');
  await page.getByText('Leave without saving?').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('Create a key').waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('edit=');
});

/** Runs a command that a person would paste into a shell; returns its output. */
function runInShell(code: string, folder: string): string {
  // With -f a refused call ends the script, instead of printing the refusal.
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', code.replaceAll('curl ', 'curl -fsS ')], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)('the code of a token is copied as it is shown, and runs (needs curl)', async () => {
  const { page, context, problems } = await openPage(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSession(page, site);
  await visit(page, site, '/token');
  await page.getByRole('button', { name: 'Use', exact: true }).first().click();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-snippet-'));
  try {
    const copied: Record<string, string> = {};
    for (const name of ['curl', 'Python', 'JavaScript', 'Anthropic', 'Gemini', 'Images & sound', 'ENV']) {
      await page.getByRole('tab', { name, exact: true }).click();
      const block = page.getByLabel(`Code for ${name}`, { exact: true });
      await block.locator('..').getByRole('button').click();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      expect(text.trim()).toBe((await block.innerText()).trim());
      copied[name] = text;
    }
    await page.getByRole('tab', { name: 'Agents & apps', exact: true }).click();
    await page.getByRole('combobox', { name: 'Program' }).click();
    await page.getByRole('option', { name: 'Codex', exact: true }).click();
    await page.getByText(`base_url = "${site.url}/v1"`).waitFor();
    expect(runInShell(copied.curl ?? '', folder)).toContain('"chat.completion"');
    const printed = runInShell(copied['Images & sound'] ?? '', folder);
    expect(printed).toContain('"b64_json"');
    expect(printed).toContain('"text"');
    expect(readdirSync(folder)).toEqual(['speech.mp3']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(problems).toEqual([]);
});
