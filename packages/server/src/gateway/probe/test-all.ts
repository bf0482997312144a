import {
  AppError,
  type ChannelFailure,
  channelStatus,
  type ChannelTestProgress,
  keptWords,
  maxShownFailures,
  type Words,
} from '@tollgate/contract';
import type { Channel } from '../../relay/types/index.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';
import { shouldDisable } from '../../services/calls/routing/index.ts';
import { testChannel, type TestDeps, type Tester, type TestResult } from './test-channel.ts';

export interface TestAllDeps extends TestDeps {
  loadAll(): Promise<readonly RoutedChannel[]>;
  autoDisable(channelId: number, reason: string | Words): Promise<unknown>;
  autoEnable(channelId: number): Promise<unknown>;
  disableKey(channelId: number, keyId: string, reason: string | Words): Promise<unknown>;
  enableKey(channelId: number, keyId: string): Promise<boolean>;
  rules(): TestRules;
  /** Called when a test of all channels has ended, with the user who started it. */
  onDone(progress: ChannelTestProgress, tester: Tester): void;
}

/** Options that decide what a test result changes. */
export interface TestRules {
  /** AutomaticDisableChannelEnabled. */
  disable: boolean;
  /** AutomaticEnableChannelEnabled. */
  enable: boolean;
  /** ChannelDisableThreshold; 0 for never. */
  thresholdSeconds: number;
  /** AutomaticDisableKeywords. */
  keywords: readonly string[];
  /** POLLING_INTERVAL: pause after each channel, in seconds. */
  pauseSeconds: number;
}

/** Number of tests at the same time if no pause is configured. */
const parallel = 4;

/** The test of all channels: one at a time in this process, with its progress. */
export interface TestAll {
  /** Starts in the background; throws AppError channel_test_running if one is running. `done` resolves at its end. */
  start(tester: Tester): { done: Promise<void> };
  /** Tests that are running still finish. */
  stop(): void;
  progress(): ChannelTestProgress;
}

/** Creates the test of all channels (docs/compatibility.md#automatic-disabling). */
export function createTestAll(deps: TestAllDeps): TestAll {
  let state = progressOf(false);
  let isStopped = false;

  const testOne = async ({ routed, isNoted }: TestedPart, tester: Tester) => {
    try {
      const noting = isNoted ? deps : { ...deps, noteTest: async () => undefined };
      const result = await testChannel(noting, routed, tester);
      if (result.failure) noteFailure(state, routed.channel, result.failure);
      await judge(deps, routed, result);
    } catch (cause) {
      state.failed += 1;
      deps.log.error({ channel: routed.channel.id, err: cause }, 'a channel test failed unexpectedly');
    }
    state.done += 1;
  };

  const run = async (tester: Tester) => {
    const channels = (await deps.loadAll()).filter(
      (routed) => deps.provider(routed.channel.type)?.testable === true,
    );
    const tested = channels.flatMap(testedParts);
    state.total = tested.length;
    const queue = tested.values();
    const worker = async (pauseMs: number) => {
      for (const part of queue) {
        if (isStopped) return;
        await testOne(part, tester);
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    const pauseMs = deps.rules().pauseSeconds * 1000;
    await Promise.all(Array.from({ length: pauseMs > 0 ? 1 : parallel }, () => worker(pauseMs)));
  };

  return {
    start(tester) {
      if (state.running) throw new AppError('channel_test_running');
      state = progressOf(true);
      isStopped = false;
      const done = run(tester)
        .catch((cause: unknown) => deps.log.error({ err: cause }, 'the test of all channels broke off'))
        .finally(() => {
          state.running = false;
          deps.onDone(copyOf(state), tester);
        });
      return { done };
    },
    stop() {
      isStopped = true;
    },
    progress: () => copyOf(state),
  };
}

/** The tested channel, and whether the result is about the channel. */
interface TestedPart {
  routed: RoutedChannel;
  isNoted: boolean;
}

/** A channel, or of one with several keys a key that is on and each that Tollgate had switched off. */
function testedParts(routed: RoutedChannel): TestedPart[] {
  if (!routed.keys) return [{ routed, isNoted: true }];
  const on = routed.keys.find(({ status }) => status === channelStatus.enabled);
  const off = routed.keys.filter(({ status }) => status === channelStatus.autoDisabled);
  return [...(on ? [on] : []), ...off].map((key, index) => ({
    routed: { ...routed, channel: key.channel, status: Math.max(routed.status, key.status) },
    isNoted: index === 0,
  }));
}

const progressOf = (running: boolean): ChannelTestProgress => ({
  running,
  total: 0,
  done: 0,
  failed: 0,
  failures: [],
});

const copyOf = (state: ChannelTestProgress): ChannelTestProgress => ({
  ...state,
  failures: [...state.failures],
});

function noteFailure(state: ChannelTestProgress, { id, name }: Channel, failure: ChannelFailure): void {
  state.failed += 1;
  if (state.failures.length < maxShownFailures) state.failures.push({ id, name, failure });
}

/**
 * The change that a result causes: a broken or slow channel is disabled, one that Tollgate had disabled is enabled
 * again.
 */
async function judge(deps: TestAllDeps, routed: RoutedChannel, result: TestResult): Promise<void> {
  const { channel } = routed;
  const rules = deps.rules();
  if (routed.status === channelStatus.autoDisabled) {
    if (result.error || !rules.enable) return;
    const { id, chosenKey } = channel;
    if (!chosenKey || !(await deps.enableKey(id, chosenKey.id))) await deps.autoEnable(id);
    return;
  }
  if (routed.status !== channelStatus.enabled) return;
  const reason = disableReason(routed, result, rules);
  if (reason === null) return;
  // A server that is slow is slow with every key.
  if (channel.chosenKey && result.error) await deps.disableKey(channel.id, channel.chosenKey.id, reason);
  else await deps.autoDisable(channel.id, reason);
}

function disableReason(
  { channel }: RoutedChannel,
  result: TestResult,
  rules: TestRules,
): string | Words | null {
  const { disable: enabled, keywords, thresholdSeconds } = rules;
  const { error, milliseconds } = result;
  if (error) {
    const context = { enabled, autoBan: channel.autoBan, channelType: channel.type, keywords };
    return shouldDisable(error, context) ? (error.words ?? error.message) : null;
  }
  const seconds = milliseconds / 1000;
  if (!enabled || !channel.autoBan || thresholdSeconds <= 0 || seconds <= thresholdSeconds) return null;
  return keptWords('channelSlow', {
    time: `${seconds.toFixed(2)}s`,
    limit: `${thresholdSeconds.toFixed(2)}s`,
  });
}
