import type { Prepared } from './teams.ts';
import type { Person, ReferenceWorld } from './world.ts';

interface PricePeople {
  world: () => ReferenceWorld;
  root: () => Person;
}

interface Envelope {
  success: boolean;
  data: { id: string; state: string };
}

/** Rehearsals for the examples that name one: only one runs at a time. */
export function referencePrices({ world, root }: PricePeople): Record<string, () => Promise<Prepared>> {
  const ask = async (method: string, path: string, body?: object): Promise<Envelope> =>
    (await world().request(method, path, root(), body)).body as Envelope;
  const started = async (): Promise<string> => {
    for (;;) {
      const { success, data } = await ask('POST', '/api/prices/rehearsal', {
        draft: { ModelRatio: '{"gpt-4o-mini": 0.3}' },
      });
      if (success) return data.id;
    }
  };
  const ended = async (): Promise<string> => {
    const id = await started();
    for (;;) {
      const { data } = await ask('GET', `/api/prices/rehearsal/${id}`);
      if (data.state !== 'running') return id;
    }
  };
  return {
    'GET /api/prices/rehearsal/:rehearsal': async () => ({ input: { rehearsal: await ended() } }),
    'DELETE /api/prices/rehearsal/:rehearsal': async () => ({ input: { rehearsal: await ended() } }),
  };
}
