import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { optionApi, role } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

let house: House;
let root: Agent;
let site: Server;
let address: string;
/** The document at the address. */
let document: string;
let asked: number;

beforeEach(async () => {
  house = await openHouse();
  root = await house.person('chief', { role: role.root });
  asked = 0;
  site = createServer((_, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json');
    response.end(document);
  });
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  address = `${issuer}/.well-known/openid-configuration`;
  document = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/jwks`,
  });
});
afterEach(async () => {
  await house.close();
  await new Promise((resolve) => {
    site.close(resolve);
  });
});

const save = async (key: string, value: string) => (await root.call(optionApi.update, { key, value })).body;
const failed = (reason: string) => ({
  success: false,
  code: 'oidc_discovery_failed',
  message: `获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确（${reason}）`,
});

describe('the built-in OpenID provider', () => {
  it('is queried before its address is saved, and again only when that changes', async () => {
    expect(await save('oidc.well_known', address)).toMatchObject({ success: true });
    expect(house.core.settings.get('oidc.well_known')).toBe(address);
    expect(await save('oidc.well_known', address)).toMatchObject({ success: true });
    expect(await save('oidc.client_id', 'tollgate')).toMatchObject({ success: true });
    expect(await save('oidc.well_known', '')).toMatchObject({ success: true });
    expect(asked).toBe(1);
  });

  it('that cannot be reached, or is invalid, is not saved', async () => {
    const closed = '请求 http://127.0.0.1:1/.well-known/openid-configuration，连接被拒绝';
    expect(await save('oidc.well_known', 'http://127.0.0.1:1/')).toMatchObject(failed(closed));
    root.headers['accept-language'] = 'en';
    expect((await save('oidc.well_known', 'http://127.0.0.1:1/')).message).toBe(
      'The OIDC configuration could not be read, please check the network and the Well-Known address (http://127.0.0.1:1/.well-known/openid-configuration was asked, and the connection was refused)',
    );
    delete root.headers['accept-language'];
    expect(await save('oidc.well_known', 'http://')).toMatchObject({ success: false });
    const { token_endpoint: _missing, ...rest } = JSON.parse(document) as Record<string, string>;
    document = '<html>';
    expect(await save('oidc.well_known', address)).toMatchObject(
      failed(`请求 ${address}，对方返回的内容不是 JSON（application/json）`),
    );
    document = JSON.stringify(rest);
    expect(await save('oidc.well_known', address)).toMatchObject({ code: 'sign_in_provider_incomplete' });
    expect(house.core.settings.get('oidc.well_known')).toBe('');
  });

  it('is queried again when it is enabled', async () => {
    await save('oidc.well_known', address);
    await save('oidc.client_id', 'tollgate');
    document = 'gone';
    expect(await save('oidc.enabled', 'true')).toMatchObject({ code: 'oidc_discovery_failed' });
    expect(house.core.settings.get('oidc.enabled')).toBe(false);
  });

  it('whose endpoints are entered by hand is not queried', async () => {
    await save('oidc.client_id', 'tollgate');
    expect(await save('oidc.token_endpoint', 'http://127.0.0.1:1/token')).toMatchObject({ success: true });
    expect(await save('oidc.enabled', 'true')).toMatchObject({ success: true });
  });
});
