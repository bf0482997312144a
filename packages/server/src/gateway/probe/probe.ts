import { AppError, type ChannelDraft, type ChannelTestProgress } from '@tollgate/contract';
import { type Channel, unsavedChannel, withoutCallPath } from '../../relay/types/index.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';
import { type AccountDeps, fetchModels, updateBalance, updateBalances } from './account.ts';
import { type Preview, type PreviewDeps, type PreviewOrder, previewRequest } from './preview.ts';
import { createTestAll, type TestAllDeps } from './test-all.ts';
import { type Asked, testChannel, type Tester, type TestResult } from './test-channel.ts';

export type { TestRules } from './test-all.ts';
export type { Tester, TestResult, TestRow } from './test-channel.ts';

export interface ProbeDeps extends TestAllDeps, AccountDeps, PreviewDeps {
  /** A channel read from the store, including disabled ones. */
  load(channelId: number): Promise<RoutedChannel | undefined>;
}

/**
 * Tollgate's own calls to upstreams: a channel test, the list of models, the remaining balance
 * (docs/compatibility.md#automatic-disabling).
 */
export interface Probe {
  /** Tests one channel; the result does not change its status. */
  test(channelId: number, asked: Asked, tester: Tester): Promise<TestResult>;
  /** Tests the channel of a form; the result is stored only in the log. */
  testWith(form: ChannelDraft, asked: Asked, tester: Tester): Promise<TestResult>;
  /** Starts the test of all channels in the background; throws AppError channel_test_running while one is running. */
  testAll(tester: Tester): { done: Promise<void> };
  stopTestAll(): void;
  testProgress(): ChannelTestProgress;
  /** The request that the channel of a form would send for a sample; nothing is sent. */
  preview(form: ChannelDraft, order: PreviewOrder): Promise<Preview>;
  /** Models offered for a stored channel. */
  fetchModels(channelId: number): Promise<string[]>;
  /** Models offered for a key that is not stored. */
  fetchModelsWith(account: { type: number; baseUrl: string; key: string }): Promise<string[]>;
  /** The remaining balance in US dollars. */
  updateBalance(channelId: number): Promise<number>;
  updateBalances(): Promise<void>;
}

/** Creates the probes of a process. The test of all channels is limited to one in each process. */
export function createProbe(deps: ProbeDeps): Probe {
  const all = createTestAll(deps);
  const loadOrFail = async (id: number): Promise<RoutedChannel> => {
    const routed = await deps.load(id);
    if (!routed) throw new AppError('channel_not_found');
    return routed;
  };
  return {
    test: async (id, asked, tester) => testChannel(deps, await loadOrFail(id), tester, asked),
    testWith: async (form, asked, tester) =>
      testChannel({ ...deps, noteTest: async () => undefined }, await deps.draft(form), tester, asked),
    preview: (form, order) => previewRequest(deps, form, order),
    testAll: (tester) => all.start(tester),
    stopTestAll: () => all.stop(),
    testProgress: () => all.progress(),
    fetchModels: async (id) => fetchModels(deps, (await loadOrFail(id)).channel),
    fetchModelsWith: ({ type, baseUrl, key }) => fetchModels(deps, formChannel(deps, type, baseUrl, key)),
    updateBalance: async (id) => updateBalance(deps, await loadOrFail(id)),
    updateBalances: async () => updateBalances(deps, await deps.loadAll()),
  };
}

/** A channel that exists only for one call; it has the key of the first line, because the form may have several. */
function formChannel(deps: ProbeDeps, type: number, baseUrl: string, text: string): Channel {
  const address = (baseUrl.trim() || (deps.provider(type)?.baseUrl ?? '')).replace(/\/+$/, '');
  const key = text.trim().split('\n')[0]?.trim() ?? '';
  const trimmed = withoutCallPath(deps.provider(type), { type, baseUrl: address, other: '' });
  return unsavedChannel({ type, key, baseUrl: trimmed });
}
