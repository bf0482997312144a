import type { ModelKind } from '@tollgate/contract';
import { ApiError, errorMessage } from '../../../lib/api/api-error.ts';
import { endSession, onSessionEnd } from '../../../lib/session.ts';
import { stored } from '../../../lib/storage.ts';
import { createStore, type Store } from '../../../lib/store.ts';
import type { Problem } from '../base/types.ts';
import type { DrawingButton } from './calls.ts';

/** A result of a call. */
export interface Output {
  type: 'image' | 'audio' | 'video' | 'text';
  /** Its address; for a text, the text itself. */
  url: string;
  /** File name of a download. */
  name: string;
}

/** A running or finished call or task of the studio. */
export interface Work {
  id: number;
  kind: ModelKind;
  model: string;
  group: string;
  prompt: string;
  status: 'running' | 'done' | 'failed';
  /** 0 to 100; null where it is unknown. */
  progress: number | null;
  startedAt: number;
  tookMs: number | null;
  outputs: readonly Output[];
  buttons: readonly DrawingButton[];
  requestId: string | null;
  /** Id of the task; '' for a call with an immediate answer. */
  taskId: string;
  /** Quota units of the initial charge; null while unknown. */
  charged: number | null;
  /** Refunded quota units. */
  refunded: number;
  /** Failure reason of the vendor. */
  reason: string;
  problem: Problem | null;
}

/** The input of a work. */
type WorkInput = Pick<Work, 'kind' | 'model' | 'group' | 'prompt'>;
/** Runs the call and reports progress. Rejects with the reason of a refusal. */
export type Make = (report: (change: Partial<Work>) => void, signal: AbortSignal) => Promise<void>;

export interface Works {
  list: Store<readonly Work[]>;
  begin: (what: WorkInput, make: Make) => void;
  /** Repeats the same call in its place. */
  again: (id: number) => void;
  /** Removes a work from the list; a task continues without polling. */
  remove: (id: number) => void;
}

const known = new Map<number, Works>();

/** A user's works of this visit: they continue while other pages are open, and end with the session. */
export function worksOf(userId: number): Works {
  const works = known.get(userId) ?? createWorks();
  known.set(userId, works);
  return works;
}

onSessionEnd(() => {
  for (const works of known.values()) for (const { id } of works.list.get()) works.remove(id);
  known.clear();
});

const problemOf = (error: unknown): Problem =>
  error instanceof ApiError
    ? { message: error.message, code: error.code ?? null, status: error.status }
    : { message: errorMessage(error, stored.language.get()), code: null, status: 0 };

const begun = (id: number, what: WorkInput): Work => ({
  ...what,
  id,
  status: 'running',
  progress: null,
  startedAt: Date.now(),
  tookMs: null,
  outputs: [],
  buttons: [],
  requestId: null,
  taskId: '',
  charged: null,
  refunded: 0,
  reason: '',
  problem: null,
});

function createWorks(): Works {
  const list = createStore<readonly Work[]>([]);
  const makers = new Map<number, { what: WorkInput; make: Make; controller: AbortController }>();
  let last = 0;
  const change = (id: number, news: Partial<Work>) =>
    list.set(list.get().map((work) => (work.id === id ? { ...work, ...news } : work)));

  const run = async (id: number, what: WorkInput, make: Make) => {
    const controller = new AbortController();
    makers.set(id, { what, make, controller });
    const startedAt = performance.now();
    const report = (news: Partial<Work>) => {
      if (controller.signal.aborted) return;
      const isOver = news.status === 'done' || news.status === 'failed';
      change(id, { ...news, ...(isOver && { tookMs: performance.now() - startedAt }) });
    };
    try {
      await make(report, controller.signal);
    } catch (error) {
      const problem = problemOf(error);
      const requestId = error instanceof ApiError ? (error.requestId ?? null) : null;
      report({ status: 'failed', problem, requestId });
      if (problem.status === 401 && !controller.signal.aborted) endSession('expired');
    }
  };
  return {
    list,
    begin(what, make) {
      const id = (last += 1);
      list.set([begun(id, what), ...list.get()]);
      void run(id, what, make);
    },
    again(id) {
      const before = makers.get(id);
      if (!before) return;
      change(id, begun(id, before.what));
      void run(id, before.what, before.make);
    },
    remove(id) {
      makers.get(id)?.controller.abort();
      makers.delete(id);
      for (const { outputs } of list.get().filter((work) => work.id === id))
        for (const { url } of outputs) if (url.startsWith('blob:')) URL.revokeObjectURL(url);
      list.set(list.get().filter((work) => work.id !== id));
    },
  };
}
