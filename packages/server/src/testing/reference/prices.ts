import { reratings } from '../../store/index.ts';
import type { Prepared } from './teams.ts';
import type { Person, ReferenceWorld } from './world.ts';

interface PricePeople {
  world: () => ReferenceWorld;
  root: () => Person;
}

interface Envelope<Data> {
  success: boolean;
  data: Data;
}

interface Rehearsal {
  id: string;
  state: string;
}

interface Rerating {
  id: number;
  state: string;
}

/** Rehearsals and corrections for the examples that name one. Only one runs at a time. */
export function referencePrices({ world, root }: PricePeople): Record<string, () => Promise<Prepared>> {
  const ask = async <Data = Rehearsal>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Envelope<Data>> => (await world().request(method, path, root(), body)).body as Envelope<Data>;
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
  const replayed = async (): Promise<string> => {
    for (;;) {
      const { success, data } = await ask('POST', '/api/routing/replay', { hours: 1 });
      if (success) return data.id;
    }
  };
  const newest = async () => {
    const { data } = await ask<{ items: Rerating[] }>('GET', '/api/prices/rerating');
    return data.items[0];
  };
  const corrected = async (): Promise<number> => {
    const rehearsal = await ended();
    await ask('POST', '/api/prices/rerating', { rehearsal, reason: 'the price of output was mistyped' });
    for (;;) {
      const rerating = await newest();
      if (rerating && rerating.state === 'done') return rerating.id;
    }
  };
  // No worker processes this correction: `under_way` of an active one is 0.
  const running = async (): Promise<number> => {
    const { db } = world().tollgate.core.store;
    const { id: _, ...row } = (await reratings.find(db, await corrected()))!;
    return reratings.create(db, { ...row, state: 'running', under_way: -1 });
  };
  return {
    'GET /api/routing/replay/:replay': async () => ({ input: { replay: await replayed() } }),
    'DELETE /api/routing/replay/:replay': async () => ({ input: { replay: await replayed() } }),
    'POST /api/prices/rerating': async () => ({
      input: { rehearsal: await ended(), reason: 'the price of output was mistyped' },
    }),
    'GET /api/prices/rerating/:rerating': async () => ({ input: { rerating: await corrected() } }),
    'GET /api/prices/rerating/:rerating/rows': async () => ({ input: { rerating: await corrected() } }),
    'POST /api/prices/rerating/:rerating/stop': async () => ({ input: { rerating: await running() } }),
    'POST /api/prices/rerating/:rerating/revert': async () => ({
      input: { rerating: await corrected(), reason: 'the first price was right' },
    }),
    'GET /api/prices/rehearsal/:rehearsal': async () => ({ input: { rehearsal: await ended() } }),
    'DELETE /api/prices/rehearsal/:rehearsal': async () => ({ input: { rehearsal: await ended() } }),
  };
}
