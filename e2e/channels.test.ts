import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startFakeUpstream,
  type FakeUpstream,
} from '../packages/server/src/testing/upstream/fake-upstream.ts';
import { startToolServer } from '../packages/server/src/testing/upstream/tool-server.ts';
import { providerMarks } from '../packages/web/src/features/channels/base/provider-marks.ts';
import { closeVisitors, launchBrowser, openPage, openSession } from './support/browser.ts';
import { callOnce, setUp, startSite, type Site } from './support/site.ts';

let site: Site;
let upstream: FakeUpstream;
let browser: Browser;
let key: string;
beforeAll(async () => {
  [site, upstream] = await Promise.all([startSite(), startFakeUpstream()]);
  key = await setUp(site);
  browser = await launchBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await site.close();
  await upstream.close();
});

test('one channel is made of several keys; one of them is switched off, another deleted, one more added', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/channel?edit=new`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('several');
  await drawer.getByRole('textbox', { name: 'Key', exact: true }).fill('sk-several-one\nsk-several-two');
  await drawer.getByLabel('Several keys').first().click();
  await page.getByRole('option', { name: 'One channel, in turn' }).click();
  await drawer.getByRole('textbox', { name: 'Address', exact: true }).fill(upstream.url);
  const models = drawer.getByRole('combobox', { name: 'Models', exact: true });
  await models.fill('gpt-4o-mini');
  await models.press('Enter');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  const row = page.getByRole('row', { name: /several/ });
  await row.waitFor();

  await row.getByRole('button', { name: 'several', exact: true }).click();
  const keys = drawer.getByRole('region', { name: '2 keys' });
  await keys
    .getByRole('button', { name: /^Disable the key/ })
    .first()
    .click();
  await keys.getByText('1 on, 1 switched off, 0 auto-disabled').waitFor();
  const before = upstream.requests.length;
  for (let call = 0; call < 3; call += 1) await callOnce(site, key, 'gpt-4o-mini');
  const used = upstream.requests.slice(before).map(({ headers }) => headers.authorization);
  expect(new Set(used)).toEqual(new Set(['Bearer sk-several-two']));

  await keys
    .getByRole('button', { name: /^Delete the key/ })
    .first()
    .click();
  await page.getByRole('dialog').last().getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer.getByRole('region', { name: '1 key' }).waitFor();
  await drawer.getByRole('textbox', { name: 'Key', exact: true }).fill('sk-several-three');
  await drawer.getByRole('button', { name: 'Save', exact: true }).click();
  await drawer.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'several', exact: true }).click();
  await drawer.getByText(/2 keys are set/).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await row.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('a tool server is added, its tools get a price, and a client of tools calls one', async () => {
  const server = await startToolServer();
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/channel?edit=new`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: /MCP tool server/ }).click();
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('weather');
  await drawer.getByRole('textbox', { name: 'Key', exact: true }).fill('tool-secret');
  await drawer.getByRole('textbox', { name: 'Address', exact: true }).fill(server.url);
  await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
  await drawer.getByLabel('Dollars per call of weather__metered').fill('0.02');
  await drawer.getByLabel('Dollars per call of weather__add').fill('0');
  await drawer.getByRole('button', { name: 'Save 2 prices' }).click();
  await page.getByText('Prices saved').waitFor();
  await drawer.getByRole('button', { name: 'Test what is entered' }).click();
  await drawer.getByText(/It works/).waitFor();
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  const row = page.getByRole('row', { name: /weather/ });
  await row.waitFor();

  const client = new Client({ name: 'journey', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['weather__add', 'weather__metered']);
  await client.callTool({ name: 'weather__metered', arguments: { cost: { usd: 0.005 } } });
  await client.close();
  await page.goto(`${site.url}/log`);
  await page.getByText('weather__metered').first().waitFor();
  await page.getByText('$0.005').first().waitFor();
  expect(problems).toEqual([]);
  await server.close();
});

test('a channel is created, tested, called, disabled, tagged, switched by its tag, and deleted', async () => {
  const { page, problems } = await openPage(browser);
  await openSession(page, site);
  await page.goto(`${site.url}/channel`);
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Please enter the channel name and key').first().waitFor();

  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('upstream');
  await drawer.getByRole('textbox', { name: 'Key', exact: true }).fill('sk-the-upstream-key');
  await drawer.getByRole('textbox', { name: 'Address', exact: true }).fill(upstream.url);
  const models = drawer.getByRole('combobox', { name: 'Models', exact: true });
  await models.fill('gpt-4o-mini');
  await models.press('Enter');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  const row = page.getByRole('row', { name: /upstream/ });
  await row.waitFor();

  // The test and a caller's request reach the upstream with the channel's key.
  await row.getByRole('button', { name: 'Test', exact: true }).click();
  const result = page.getByText(/^upstream answered in/);
  await result.waitFor();
  // A temporary message covers none of the page's main buttons.
  const [shown, add] = await Promise.all([
    result.locator('..').boundingBox(),
    page.getByRole('button', { name: 'Add channel' }).boundingBox(),
  ]);
  expect(shown!.y).toBeGreaterThan(add!.y + add!.height);
  await callOnce(site, key, 'gpt-4o-mini');
  expect(upstream.requests.slice(-2).map(({ headers }) => headers.authorization)).toEqual([
    'Bearer sk-the-upstream-key',
    'Bearer sk-the-upstream-key',
  ]);

  // The form can also test the saved channel, in place.
  await row.getByRole('button', { name: 'upstream', exact: true }).click();
  await drawer.getByRole('button', { name: 'Test the saved channel' }).click();
  await drawer.getByText(/^It works: answered in/).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });

  await row.getByRole('button', { name: 'Disable', exact: true }).click();
  await row.getByText('Disabled', { exact: true }).waitFor();
  await expect(callOnce(site, key, 'gpt-4o-mini')).rejects.toThrow('gpt-4o-mini');
  await row.getByRole('button', { name: 'Enable', exact: true }).click();
  await row.getByText('Enabled', { exact: true }).waitFor();

  // Copies the channel, tags both, and switches both by their tag.
  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  const copy = page.getByRole('row', { name: /upstream_/ });
  await copy.waitFor();
  const both = page.getByRole('row', { name: /upstream/ });
  await both.nth(0).getByRole('checkbox').check();
  await both.nth(1).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Set tag' }).click();
  await page.getByRole('dialog').getByLabel('Tag', { exact: true }).fill('spring');
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await page.getByText('2 channels are tagged').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const switchTags = async () => {
    await page.getByRole('button', { name: 'Views and columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'By tag' }).click();
    await page.keyboard.press('Escape');
  };
  await switchTags();
  const tag = page.getByRole('row', { name: /spring/ }).first();
  await tag.getByRole('button', { name: 'Disable all' }).click();
  await tag.getByText('0 of 2 enabled').waitFor();
  await switchTags();

  await copy.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await copy.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('every provider has a drawing of its own', () => {
  const folder = join(import.meta.dirname, '../packages/server/src/relay/providers');
  const ids = globSync(`${folder}/*/index.ts`).flatMap(
    (file) => readFileSync(file, 'utf8').match(/(?<=^ {2}id: ')[\w-]+(?=')/gm) ?? [],
  );
  expect(ids.length).toBeGreaterThan(40);
  expect(ids.filter((id) => !Object.hasOwn(providerMarks, id))).toEqual([]);
  expect(new Set(Object.values(providerMarks)).size).toBe(Object.keys(providerMarks).length);
});
