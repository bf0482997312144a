import { optionApi, pricingApi, role, statusApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

let house: House;
let root: Agent;
beforeEach(async () => {
  house = await openHouse();
  root = await house.person('chief', { role: role.root });
});
afterEach(() => house.close());

const list = async () => (await root.must(optionApi.list, {})) as { key: string; value: string }[];

describe('options', () => {
  it('are texts by key, without secrets; secrets that are set are listed', async () => {
    await root.must(optionApi.update, { key: 'SMTPToken', value: 'mail-secret' });
    const reply = await root.call(optionApi.list, {});
    expect(JSON.stringify(reply.body)).not.toContain('mail-secret');
    expect(reply.body['secrets_set']).toEqual(['SMTPToken']);
    expect((await list()).find(({ key }) => key === 'SystemName')).toEqual({
      key: 'SystemName',
      value: expect.any(String),
    });
    expect((await list()).some(({ key }) => /Token$|Secret$|Key$/.test(key))).toBe(false);
  });

  it('are saved from text, booleans and numbers, and are in effect at once', async () => {
    await root.must(optionApi.update, { key: 'DrawingEnabled', value: false });
    await root.must(optionApi.update, { key: 'MinTopUp', value: 5 });
    await root.must(optionApi.update, { key: 'Notice', value: 'Hello' });
    expect((await house.guest.call(statusApi.status, {})).body.data).toMatchObject({
      enable_drawing: false,
      min_topup: 5,
    });
    expect((await house.guest.call(statusApi.notice, {})).body.data).toBe('Hello');
  });

  it('that this version does not know are saved with a word that they have no effect', async () => {
    const save = (key: string, language: string) =>
      root.send({
        method: 'PUT',
        url: '/api/option/',
        payload: { key, value: '1' },
        headers: { 'accept-language': language },
      });
    expect((await save('checkin_setting.enabled', 'zh-CN')).body).toMatchObject({
      success: true,
      message: '已保存，但该选项在当前版本没有作用',
    });
    expect((await save('StripeUnitPrice', 'en')).body.message).toContain('has no effect');
    expect((await save('MinTopUp', 'en')).body).toMatchObject({ success: true, message: '' });
  });

  it('keep their last good value when the new one is invalid', async () => {
    const reply = await root.call(optionApi.update, { key: 'GroupRatio', value: '{"default":-1}' });
    expect(reply.body).toMatchObject({
      success: false,
      message: '分组 default 的倍率不能小于 0',
    });
    expect(house.core.settings.get('GroupRatio')).toMatchObject({ default: 1 });
  });

  it('reset the model ratios', async () => {
    await root.must(optionApi.update, { key: 'ModelRatio', value: '{"mine":3}' });
    const reply = await root.call(optionApi.resetModelRatio, {});
    expect(reply.body).toMatchObject({ success: true, message: '重置模型倍率成功' });
    expect(Object.keys(house.core.settings.get('ModelRatio')).length).toBeGreaterThan(10);
  });

  it('are for root alone', async () => {
    const admin = await house.person('admin', { role: role.admin });
    for (const reply of [
      await admin.call(optionApi.list, {}),
      await admin.call(optionApi.update, { key: 'Notice', value: 'x' }),
      await admin.call(optionApi.resetModelRatio, {}),
    ]) {
      expect(reply.body).toMatchObject({ success: false, message: '无权进行此操作，权限不足' });
    }
  });
});

describe('what visitors may read', () => {
  it('is the status, the texts and the price list', async () => {
    const status = (await house.guest.call(statusApi.status, {})).body.data;
    expect(status).toMatchObject({ version: 'test', enable_online_topup: false, quota_per_unit: 500_000 });
    for (const route of [statusApi.about, statusApi.homePageContent]) {
      expect((await house.guest.call(route, {})).body).toMatchObject({ success: true, data: '' });
    }
    expect((await house.guest.call(pricingApi.list, {})).body).toMatchObject({
      success: true,
      data: [],
      group_ratio: { default: 1 },
      usable_group: { default: '默认分组' },
    });
  });

  it('includes whether there is an announcement and a home page', async () => {
    for (const [key, name] of [
      ['Notice', 'has_notice'],
      ['HomePageContent', 'has_home_page'],
    ] as const) {
      await root.must(optionApi.update, { key, value: 'Closed on Sunday' });
      expect(await house.guest.must(statusApi.status, {})).toMatchObject({ [name]: true });
      await root.must(optionApi.update, { key, value: ' ' });
      expect(await house.guest.must(statusApi.status, {})).toMatchObject({ [name]: false });
    }
  });

  it('has no secret, whatever is configured', async () => {
    for (const key of [
      'EpayKey',
      'GitHubClientSecret',
      'TelegramBotToken',
      'TurnstileSecretKey',
      'WorkerValidKey',
    ]) {
      await root.must(optionApi.update, { key, value: `hidden-${key}` });
    }
    expect(JSON.stringify((await house.guest.call(statusApi.status, {})).body)).not.toContain('hidden-');
  });
});

describe('the database test', () => {
  it('answers with the original’s message', async () => {
    expect(await root.call(statusApi.test, {})).toMatchObject({
      status: 200,
      body: { success: true, message: 'Server is running' },
    });
  });
});
