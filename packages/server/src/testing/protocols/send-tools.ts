import type { SendEffects } from '../../gateway/index.ts';
import type { SendTools } from '../../relay/types/index.ts';

const never = (what: string) => () => Promise.reject(new Error(`${what} was not expected`));

/** No wait and no file download. */
export const noEdges = {
  sleep: never('a wait'),
  fetchFile: never('a file'),
  renewKey: never('a renewal'),
} satisfies SendEffects;

/** Tools of a provider before a call. Tools that a test does not define are unexpected. */
export const sendTools = (tools: Partial<SendTools> = {}): SendTools => ({
  nowMs: () => 0,
  token: never('a token'),
  ask: never('a question'),
  ...noEdges,
  ...tools,
});
