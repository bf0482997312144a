import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildChannel } from '../../../testing/protocols/build-relay.ts';
import { suno } from './index.ts';

const channel = buildChannel({ type: 36, baseUrl: 'https://suno.example', key: 'k' });

it('requests songs with the key of the channel, and reads their results', () => {
  const { music } = suno.tasks!;
  expect(music!.submit('/suno/submit/MUSIC', { prompt: 'x' }, channel)).toMatchObject({
    url: 'https://suno.example/suno/submit/MUSIC',
    headers: { authorization: 'Bearer k' },
  });
  const answer = readFileSync(join(import.meta.dirname, 'fixtures/suno-fetch.json'));
  expect([...(music!.readPoll(200, answer) as ReadonlyMap<string, object>)]).toMatchObject([
    ['346c5d10-a4a1-4f49-a851-66a7dae6cfaf', { state: 'in_progress', progress: 0 }],
  ]);
});
