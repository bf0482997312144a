import type { SendEffects } from '../../gateway/index.ts';
import type { SendTools } from '../../relay/types/index.ts';

const never = (what: string) => () => Promise.reject(new Error(`${what} was not expected`));

/** Nothing is waited for, and no file is fetched. */
export const noEdges = {
  sleep: never('a wait'),
  fetchFile: never('a file'),
  renewKey: never('a renewal'),
} satisfies SendEffects;

/** What a provider may use before a call is sent: whatever a test does not name is not expected. */
export const sendTools = (tools: Partial<SendTools> = {}): SendTools => ({
  nowMs: () => 0,
  token: never('a token'),
  ask: never('a question'),
  ...noEdges,
  ...tools,
});
