import { createElement, use, type FunctionComponent } from 'react';

/** Code of the console that did not arrive: the server was away, the network was, or the build was replaced. */
export class CodeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'CodeError';
  }
}

/** Waits before each further attempt, in ms: a short outage passes without a word. */
const pauses = [300, 1200];

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What browsers say of a module that could not be fetched; a module that fails while it runs says something else. */
const isMissing = (error: unknown): boolean =>
  error instanceof TypeError && /import|module|fetch|preload/i.test(error.message);

async function withRetries<T>(load: () => Promise<T>, waits: readonly number[]): Promise<T> {
  for (const wait of waits) {
    try {
      return await load();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await pause(wait);
    }
  }
  return load();
}

/** Parts whose code failed to arrive, each with a further attempt that rejects when it fails again. */
const missing = new Set<() => Promise<void>>();

/** Asks again for all code that failed to arrive. Rejects while some of it still does not come. */
export const fetchMissingCode = async (): Promise<void> => {
  await Promise.all([...missing].map((again) => again()));
};

export interface LazyComponent<Props extends object> extends FunctionComponent<Props> {
  /** Fetches the code ahead. Never rejects: a failure shows when the part is drawn. */
  preload: () => Promise<void>;
}

/**
 * A component whose code comes with its first use, like React's `lazy`, which remembers a failure for ever. This one
 * asks several times, then throws a `CodeError` to the nearest boundary, and can be asked again (`fetchMissingCode`).
 */
export function lazy<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
  waits: readonly number[] = pauses,
): LazyComponent<Props> {
  let arrived: FunctionComponent<Props> | undefined;
  let problem: unknown;
  let pending: Promise<void> | undefined;
  let awaited: Promise<void> | undefined;

  const fetchCode = async (attempts: readonly number[]) => {
    try {
      arrived = (await withRetries(load, attempts)).default;
      problem = undefined;
      missing.delete(again);
    } catch (error) {
      problem = isMissing(error) ? new CodeError(error) : error;
      pending = undefined;
      missing.add(again);
    }
  };
  const preload = () => (pending ??= fetchCode(waits));
  const again = async () => {
    await (pending ??= fetchCode([]));
    if (problem !== undefined) throw problem;
  };

  function Lazy(props: Props) {
    if (problem !== undefined && pending === undefined) throw problem;
    if (arrived === undefined) awaited = preload();
    // A drawing that waited must read what it waited for once more when it goes on.
    if (awaited !== undefined) use(awaited);
    // After a failure nothing has arrived; the next drawing throws it.
    return arrived === undefined ? null : createElement(arrived, props);
  }
  return Object.assign(Lazy, { preload });
}
