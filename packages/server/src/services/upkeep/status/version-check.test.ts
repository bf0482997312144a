import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { declarationOf, optionApi, type VersionCheck } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../../boot/version.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';
import { isNewer } from './version-check.ts';

let house: House;
let root: Agent;
let releases: Server;
let asked: { headers: IncomingHttpHeaders; url: string; method: string }[];
let answer: { status: number; text: string };
beforeEach(async () => {
  asked = [];
  answer = {
    status: 200,
    text: JSON.stringify({ tag_name: 'v999.1', body: 'Better.', html_url: 'https://r.example/9' }),
  };
  releases = createServer(({ headers, url = '', method = '' }, res) => {
    asked.push({ headers, url, method });
    res.writeHead(answer.status).end(answer.text);
  });
  await new Promise<void>((resolve) => releases.listen(0, '127.0.0.1', resolve));
  house = await openHouse();
  root = await house.person('chief', { role: 100 });
});
afterEach(async () => {
  await house.close();
  await new Promise((resolve) => releases.close(resolve));
});
const address = () => `http://127.0.0.1:${(releases.address() as AddressInfo).port}/latest`;
const look = async (again: 'true' | 'false' = 'false') =>
  (await root.must(optionApi.latestVersion, { again })) as VersionCheck;
const switchOn = () =>
  house.core.settings.setMany({ VersionCheckAddress: address(), VersionCheckEnabled: 'true' });

describe('the version check', () => {
  it('sends no request until it is enabled, which needs an address', async () => {
    expect(await look('true')).toMatchObject({ enabled: false, latest: '', checked_time: 0 });
    const on = { key: 'VersionCheckEnabled', value: 'true' };
    expect((await root.call(optionApi.update, on)).body.code).toBe('version_check_not_configured');
    await root.must(optionApi.update, { key: 'VersionCheckAddress', value: address() });
    expect(await look('true')).toMatchObject({ enabled: false });
    expect(asked).toEqual([]);
  });

  it('sends nothing about this site: one GET with the headers that the setting names', async () => {
    await switchOn();
    expect(await look()).toEqual({
      enabled: true,
      checked_time: Math.floor(house.time.ms / 1000),
      latest: 'v999.1',
      is_newer: true,
      page: 'https://r.example/9',
      notes: 'Better.',
      failed: false,
    });
    expect(asked).toHaveLength(1);
    const [{ headers, url, method } = { headers: {}, url: '', method: '' }] = asked;
    expect({ url, method }).toEqual({ url: '/latest', method: 'GET' });
    const { host: _host, connection: _connection, ...own } = headers;
    expect(own).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
    });
    const { help } = declarationOf('VersionCheckEnabled');
    for (const text of ['Accept: application/json', 'Accept-Encoding: identity', 'User-Agent: tollgate'])
      expect(help.zh.includes(text) && help.en.includes(text)).toBe(true);
  });

  it('runs every six hours at most, after a minute on request, and at once for another address', async () => {
    await switchOn();
    await Promise.all([look(), look(), look('true')]);
    house.time.ms += 59_000;
    await look('true');
    expect(asked).toHaveLength(1);
    house.time.ms += 1_000;
    await look();
    expect(asked).toHaveLength(1);
    await look('true');
    expect(asked).toHaveLength(2);
    house.time.ms += 6 * 3_600_000;
    await look();
    expect(asked).toHaveLength(3);
    await house.core.settings.set('VersionCheckAddress', `${address()}-elsewhere`);
    await look();
    expect(asked.at(-1)?.url).toBe('/latest-elsewhere');
  });

  it.each([
    ['an error', { status: 500, text: '{}' }],
    ['no JSON', { status: 200, text: '<html>' }],
    ['no version', { status: 200, text: '{"name":"x"}' }],
  ])('%s is a failure and not a newer version', async (_what, given) => {
    answer = given;
    await switchOn();
    expect(await look()).toMatchObject({ enabled: true, failed: true, latest: '', is_newer: false });
  });

  it('links only to https, and reaches no forbidden address', async () => {
    answer.text = JSON.stringify({ tag_name: version, html_url: 'javascript:alert(1)' });
    await switchOn();
    expect(await look()).toMatchObject({ latest: version, is_newer: false, page: '', failed: false });
    await house.core.settings.set('VersionCheckAddress', 'http://169.254.169.254/latest');
    expect(await look()).toMatchObject({ failed: true });
  });

  it('is for root alone', async () => {
    const admin = await house.person('admin', { role: 10 });
    expect((await admin.call(optionApi.latestVersion, {})).body.code).toBe('insufficient_role');
  });
});

it.each([
  ['v1.2.4', '1.2.3', true],
  ['1.10.0', '1.9.9', true],
  ['2', '1.9', true],
  ['1.2.3', 'v1.2.3', false],
  ['1.2', '1.2.0', false],
  ['1.1.9', '1.2.0', false],
  ['nightly', '1.2.0', false],
])('%s is newer than %s: %s', (theirs, ours, newer) => expect(isNewer(theirs, ours)).toBe(newer));
