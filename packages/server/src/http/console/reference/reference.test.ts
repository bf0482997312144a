import { gunzipSync } from 'node:zlib';
import { referenceApi } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../../../testing/harness.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const summaryOf = (body: unknown): string => {
  const { paths } = body as { paths: Record<string, { get: { summary: string } }> };
  return paths[referenceApi.read.path]!.get.summary;
};

describe('the API reference', () => {
  it('is public, as the document alone', async () => {
    const { status, body } = await house.guest.call(referenceApi.read, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.1', info: { title: 'Tollgate' } });
    expect(body).not.toHaveProperty('success');
  });

  it.each([
    ['en', 'Read this reference as OpenAPI 3.1'],
    ['zh-CN,zh;q=0.9', '读取接口文档（OpenAPI 3.1）'],
    ['fr', 'Read this reference as OpenAPI 3.1'],
  ])('is in the requested language: %s', async (language, summary) => {
    const { body } = await house.guest.send({
      method: 'GET',
      url: referenceApi.read.path,
      headers: { 'accept-language': language },
    });
    expect(summaryOf(body)).toBe(summary);
  });

  it('is compressed for clients that accept it, with the same content', async () => {
    const ask = (encoding: string) =>
      house.app.inject({
        method: 'GET',
        url: referenceApi.read.path,
        headers: { 'accept-encoding': encoding },
      });
    const packed = await ask('gzip, br');
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': /^application\/json/,
    });
    const plain = await ask('identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(plain.json());
  });
});
