import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ForbiddenAddress } from '../../lib/outbound/address.ts';
import { createHttp, type Http } from '../../lib/outbound/http.ts';
import type { Settings } from '../../services/site/settings/index.ts';
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';
import { createFileFetch } from './fetch-file.ts';

let http: Http;
let worker: FakeUpstream;
let values: Record<string, unknown>;

beforeAll(async () => {
  http = createHttp();
  worker = await startFakeUpstream(async (exchange) => {
    exchange.head(200, { 'content-type': 'image/png; charset=binary' });
    await exchange.end(Buffer.from('a picture'));
  });
});
beforeEach(() => {
  values = { WorkerUrl: worker.url, WorkerValidKey: 'valid', WorkerAllowHttpImageRequestEnabled: false };
});
afterAll(async () => {
  await http.close();
  await worker.close();
});

const fetchFile = (url: string) =>
  createFileFetch({
    http,
    settings: { get: (name: string) => values[name] } as Pick<Settings, 'get'>,
    maxBytes: 1_000,
  })(url);

describe('a file named in a request', () => {
  it('is fetched by the site’s worker, in its protocol', async () => {
    expect(await fetchFile('https://example.com/a.png')).toEqual({
      mediaType: 'image/png',
      base64: Buffer.from('a picture').toString('base64'),
    });
    expect(worker.requests.at(-1)).toMatchObject({ method: 'POST', path: '/' });
    expect(worker.requests.at(-1)!.json()).toEqual({ url: 'https://example.com/a.png', key: 'valid' });
  });

  it('is fetched by the worker over plain http only where the operator allows it', async () => {
    const before = worker.requests.length;
    await expect(fetchFile('http://example.com/a.png')).rejects.toThrow('https addresses only');
    await expect(fetchFile('file:///etc/passwd')).rejects.toThrow('https addresses only');
    expect(worker.requests).toHaveLength(before);
    values.WorkerAllowHttpImageRequestEnabled = true;
    expect((await fetchFile('http://example.com/a.png')).mediaType).toBe('image/png');
    await expect(fetchFile('file:///etc/passwd')).rejects.toThrow('https addresses only');
  });

  it('is never fetched from this network without a worker', async () => {
    values.WorkerUrl = '';
    await expect(fetchFile(`${worker.url}/a.png`)).rejects.toBeInstanceOf(ForbiddenAddress);
  });
});
