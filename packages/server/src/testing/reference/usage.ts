import { vi } from 'vitest';
import type { Prepared } from './teams.ts';
import type { Person, ReferenceWorld } from './world.ts';

interface UsagePeople {
  world: () => ReferenceWorld;
  root: () => Person;
}

/** Steps before the examples of reconciliation. */
export function referenceUsage({ world, root }: UsagePeople): Record<string, () => Promise<Prepared>> {
  const must = (method: string, path: string, body?: object) => world().must(method, path, root(), body);
  const withKey = async (): Promise<Prepared> => {
    await must('PUT', '/api/reconciliation/key', { channel: 1, key: 'sk-admin-example' });
    return {};
  };
  const isOver = async (id: string): Promise<boolean> =>
    ((await must('GET', `/api/reconciliation/fetch/${id}`)) as { state: string }).state !== 'running';
  const ended = async (id: string): Promise<void> => {
    await vi.waitUntil(() => isOver(id), { timeout: 20_000 });
  };
  /** Runs one at a time: each ends before the next starts. */
  const fetched = async (): Promise<Prepared> => {
    await withKey();
    const question = { source: 'openai', channels: [1], days: 7 };
    const { id } = (await must('POST', '/api/reconciliation/fetch', question)) as { id: string };
    await ended(id);
    return { input: { fetch: id } };
  };
  const uploaded = async (): Promise<Prepared> => {
    const { id } = (await must('POST', '/api/reconciliation/upload', {
      channels: [1],
      name: 'usage.csv',
      text: 'date,model,cost\n2026-01-02,gpt-4o,0.25\n',
      mapping: { date: 'date', model: 'model', cost: 'cost' },
    })) as { id: number };
    return { input: { report: id } };
  };
  return {
    'POST /api/reconciliation/fetch': withKey,
    'GET /api/reconciliation/fetch/:fetch': async () => {
      // The fetch of the previous example may still run.
      const list = async () => (await must('GET', '/api/reconciliation/')) as unknown[];
      await vi.waitUntil(async () => (await list()).length > 0, { timeout: 20_000 });
      return fetched();
    },
    'DELETE /api/reconciliation/fetch/:fetch': fetched,
    'GET /api/reconciliation/': async () => {
      await uploaded();
      return {};
    },
    'GET /api/reconciliation/:report': uploaded,
    'DELETE /api/reconciliation/:report': uploaded,
  };
}
