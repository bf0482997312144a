import { sandboxChannelType } from '@tollgate/contract';
import { defineProvider } from '../../provider-kit/index.ts';
import { openaiEndpoints } from '../../families/openai/index.ts';
import { answerSandbox } from './answer.ts';
import { sandboxModels } from './models.ts';
import { sandboxRealtime } from './realtime.ts';
import { sandboxTasks, taskModels } from './tasks/index.ts';

/**
 * The sandbox: answers in the process, from the prompt alone, without a vendor, a key or a network. For first steps,
 * tests and the bench. Its number lies far outside the original's, which end below 100.
 */
export const sandbox = defineProvider({
  type: sandboxChannelType,
  id: 'sandbox',
  name: { zh: '沙盒', en: 'Sandbox' },
  baseUrl: 'http://sandbox.invalid',
  hints: { key: { zh: '任意文字，沙盒不需要密钥', en: 'any text; the sandbox asks for none' } },
  models: [...Object.keys(sandboxModels), ...taskModels],
  // Its key opens nothing, and is a word that its own answers use.
  secrets: () => [],
  endpoints: openaiEndpoints([
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ]),
  realtime: sandboxRealtime,
  local: answerSandbox,
  tasks: sandboxTasks,
});
