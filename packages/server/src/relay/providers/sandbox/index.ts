import { defineProvider } from '../../model/define-provider.ts';
import { openaiEndpoints } from '../../model/openai/endpoints.ts';
import { answerSandbox } from './answer.ts';
import { sandboxModels } from './models.ts';
import { sandboxRealtime } from './realtime.ts';

/**
 * The sandbox: answers in the process, from the prompt alone, without a vendor, a key or a network. For first steps,
 * tests and the bench. Its number lies far outside the original's, which end below 100.
 */
export const sandbox = defineProvider({
  type: 9001,
  id: 'sandbox',
  name: 'Sandbox',
  baseUrl: 'http://sandbox.invalid',
  hints: { key: 'any text; the sandbox asks for none', other: '' },
  models: Object.keys(sandboxModels),
  endpoints: openaiEndpoints(),
  realtime: sandboxRealtime,
  streamUsage: true,
  local: answerSandbox,
});
