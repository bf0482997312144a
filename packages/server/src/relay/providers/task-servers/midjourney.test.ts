import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { midjourney, midjourneyPlus } from './index.ts';

it.each([midjourney, midjourneyPlus])('type $type draws with its key in a header of its own', (provider) => {
  const channel = buildChannel({ type: provider.type, baseUrl: 'https://mj.example', key: 'k' });
  const { drawing } = provider.tasks!;
  expect(provider.headers(channel)).toEqual({ 'mj-api-secret': 'k' });
  expect(drawing!.submit('/mj/submit/imagine', { prompt: 'x' }, channel)).toMatchObject({
    url: 'https://mj.example/mj/submit/imagine',
    headers: { 'mj-api-secret': 'k' },
  });
  const answer = readFileSync(join(import.meta.dirname, 'fixtures/midjourney-proxy-list.json'));
  expect([...(drawing!.readPoll(200, answer) as ReadonlyMap<string, object>)]).toMatchObject([
    ['1689231405853400', { state: 'succeeded', progress: 100 }],
  ]);
});
