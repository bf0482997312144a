import { AppError, type channelApi, sayChannelFailure } from '@tollgate/contract';
import type { Probe, Tester, TestResult } from '../../../gateway/index.ts';
import { RelayError } from '../../../relay/types/index.ts';
import { answer } from '../../answer.ts';
import { requireActor, type CallContext } from '../../context.ts';
import type { Handlers } from '../../implement.ts';

const testerOf = (context: CallContext): Tester => {
  const actor = requireActor(context);
  return { userId: actor.id, username: actor.username, group: actor.group };
};

/** The result of a test for both calls: the seconds on success and failure alike. */
function answerTest({ failure, milliseconds }: TestResult, { language }: CallContext) {
  const extra = { time: milliseconds / 1000 };
  if (!failure) return { data: null, extra };
  return answer({ data: null, extra, success: false, message: sayChannelFailure(failure, language) });
}

/** The calls that send requests to upstreams. */
export const probeHandlers = (probe: Probe) =>
  ({
    testAll(_input, context) {
      probe.testAll(testerOf(context));
      return null;
    },
    testProgress: () => probe.testProgress(),
    stopTest() {
      probe.stopTestAll();
      return null;
    },
    test: async ({ id, model, kind }, context) =>
      answerTest(await probe.test(id, { model, kind }, testerOf(context)), context),
    testWith: async ({ model, kind, ...form }, context) =>
      answerTest(await probe.testWith(form, { model, kind }, testerOf(context)), context),
    async preview({ model, path, request, ...form }, { language }) {
      try {
        return await probe.preview(form, { model, path, request });
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        return answer({ data: null, success: false, message: error.in(language).message });
      }
    },
    async updateBalances() {
      await probe.updateBalances();
      return null;
    },
    updateBalance: async ({ id }) => ({ data: null, extra: { balance: await probe.updateBalance(id) } }),
    fetchModels: ({ id }) => probe.fetchModels(id),
    async fetchModelsWith({ base_url, type, key }, { language }) {
      try {
        return await probe.fetchModelsWith({ baseUrl: base_url, type, key });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // The original answers HTTP 500 here (docs/compatibility.md#envelope-and-routes).
        return answer({ data: [], success: false, status: 500, message: error.say(language) });
      }
    },
  }) satisfies Partial<Handlers<typeof channelApi>>;
