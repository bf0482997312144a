import { createElement, use, type FunctionComponent } from 'react';

/** Code of the console that failed to load: the server or the network was down, or the build was replaced. */
export class MissingCodeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'MissingCodeError';
  }
}

/** Delay before each further attempt, in ms: a short outage shows no error. */
const retryDelaysMs = [300, 1200];

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Matches the browsers' errors for a module that could not be fetched, not those of a module that fails while it runs.
 */
const isMissing = (error: unknown): boolean =>
  error instanceof TypeError && /import|module|fetch|preload/i.test(error.message);

async function withRetries<T>(load: () => Promise<T>, waits: readonly number[]): Promise<T> {
  for (const wait of waits) {
    try {
      return await load();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await sleep(wait);
    }
  }
  return load();
}

/** Retries each component that failed to load; rejects when it fails again. */
const missing = new Set<() => Promise<void>>();

/** Loads all code again that failed to load. Rejects if some of it still fails. */
export const fetchMissingCode = async (): Promise<void> => {
  await Promise.all([...missing].map((again) => again()));
};

export interface LazyComponent<Props extends object> extends FunctionComponent<Props> {
  /** Fetches the code ahead. Never rejects: a failure shows when the component renders. */
  preload: () => Promise<void>;
}

/**
 * A component whose code loads with its first use. React's `lazy` keeps a failure for ever. This one tries several times,
 * then throws a `MissingCodeError` to the nearest boundary, and can be loaded again (`fetchMissingCode`).
 */
export function lazy<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
  waits: readonly number[] = retryDelaysMs,
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
      problem = isMissing(error) ? new MissingCodeError(error) : error;
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
    // A suspended render must read the same promise again when it resumes.
    if (awaited !== undefined) use(awaited);
    // After a failure there is no component; the next render throws the error.
    return arrived === undefined ? null : createElement(arrived, props);
  }
  return Object.assign(Lazy, { preload });
}
